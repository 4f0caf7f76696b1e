#pragma once
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <openssl/ssl.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>
#include <openssl/err.h>
#include <openssl/rand.h>
