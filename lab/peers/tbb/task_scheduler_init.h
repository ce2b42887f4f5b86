#include "parallel_scan.h"
