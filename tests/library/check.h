/* The library as a C program uses it: loaded by path, through its public header. */
#ifndef MXC_TESTS_LIBRARY_CHECK_H
#define MXC_TESTS_LIBRARY_CHECK_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mxc/ffi.h"

#define CHECK(condition)                                    \
  do {                                                      \
    if (!(condition)) Fail(__FILE__, __LINE__, #condition); \
  } while (0)
#define CHECK_INT(actual, expected) CheckInt(__FILE__, __LINE__, #actual, (long)(actual), (long)(expected))
#define CHECK_TEXT(actual, expected) CheckText(__FILE__, __LINE__, #actual, (actual), (expected))

void Fail(const char* file, int line, const char* what);
void CheckInt(const char* file, int line, const char* what, long actual, long expected);
void CheckText(const char* file, int line, const char* what, const char* actual, const char* expected);

extern const char* library_path;
extern const char* own_path; /* of this program */

/* A request in memory of its own, until the program ends. `more` is behind "process": ,"timeout":5 or
 * ,"network":... */
char* Request(const char* command);
char* RequestWith(const char* command, const char* process, const char* more);

int OpenDescriptors(void);
int Threads(void);
int Children(void);
long ProcessesWith(const char* argument);               /* how many have it among their arguments */
int Eventually(int (*condition)(void*), void* context); /* within ten seconds */
long Millis(void);

typedef struct {
  const char* name;
  void (*run)(void);
} Case;
extern const Case run_cases[];
extern const Case spawn_cases[];
extern const Case stream_cases[];
extern const Case terminal_cases[];
extern const Case host_cases[];
extern const Case lifecycle_cases[];

int HostMain(const char* kind, const char* marker); /* the process that host_cases kill */

#endif
