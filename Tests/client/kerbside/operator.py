"""An operator's screen, or a service: roles that have no channel of their own."""

from .client import Client


class Operator(Client):
    role = "operator"

    def __init__(self, hub, subject, role="operator"):
        self.role = role
        super().__init__(hub, subject)

    async def hello(self, resume=None):
        fields = {"resume": resume} if resume else {}
        self.hello_reply = await self.call("hello", token=self.token, **fields)
        return self.hello_reply
