#pragma once
// Why libqrencode and no encoder of our own: a sign that one phone in a hundred can't read is found out on the street. It is small,
// takes no files, and has been read by all phones for fifteen years.
#include <qrencode.h>
