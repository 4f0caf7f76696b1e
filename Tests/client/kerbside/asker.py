"""Somebody who asks over HTTP."""

import json
import time

from . import contract


class Asker:
    """Somebody without a connection."""

    def __init__(self, hub, role, subject):
        self.hub, self.token = hub, hub.token(role, subject)

    def request(self, path, method="GET", body=None, **headers):
        """The answer, held against the contract: status, headers, page."""
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        answer = self.hub.http(path, method, {"Authorization": f"Bearer {self.token}"} | headers, body)
        answer.page = json.loads(answer.text)
        if answer.status != 200:
            contract.check_problem(answer.page)
            assert answer.page["status"] == answer.status
            if "code" in answer.page:
                row = contract.ERROR_CODES[answer.page["code"]]
                assert (row["status"], row["title"]) == (answer.status, answer.page["title"])
        return answer

    def post(self, command, key=None, **fields):
        """The answer to a command; a reply is held against the contract."""
        headers = {"Idempotency_Key": key} if key else {}
        answer = self.request(f"/v1/commands/{command}", "POST", json.dumps(fields), Content_Type="application/json", **headers)
        if answer.status == 200:
            contract.check_reply(command, {"id": 1, "ok": answer.page})
        return answer

    def done(self, command, key=None, **fields):
        """The reply. Waits as it is told to, as what was read before may have taken a slow machine long, and has to be paid."""
        for _ in range(10):
            answer = self.post(command, key, **fields)
            if answer.page.get("code") != "rate_limited":
                break
            time.sleep(answer.page["retry_after_ms"] / 1000)
        assert answer.status == 200, answer.text
        return answer.page

    def refused(self, command, code, key=None, **fields):
        answer = self.post(command, key, **fields)
        assert answer.page.get("code") == code, answer.text
        return answer

    def read(self, path):
        answer = self.request(path)
        assert answer.status == 200, answer.text
        return answer.page
