// zlib. Its init macros are called by their underscore names.
#pragma once
#include <zlib.h>
