// A C target needs a source file.
#include "CZlib.h"
