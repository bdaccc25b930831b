#pragma once

#include <stddef.h>
#include <stdint.h>

/// libFuzzer's own loop, for a program that brings its `main`.
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*body)(const uint8_t *data, size_t size));
