#pragma once
// Why libzip and no reader of our own: feeds come from all kinds of archivers (zip64, data descriptors, deflate64,
// names in old code pages), and an archive is the one file here that strangers make. It checks sizes and checksums.
#include <zip.h>
