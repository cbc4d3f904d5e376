/* Loads the library, calls it on a stack of 128 KiB and unloads it, again and again: library_unload LIBRARY.
 * With DIRECTORY it is loaded once, before the process goes there.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "mxc/ffi.h"

static const char* library;
static void* kept;

static void* Call(void* failures) {
  void* const loaded = kept ? kept : dlopen(library, RTLD_NOW);
  __typeof__(mxc_run_json)* const run =
      loaded ? (__typeof__(mxc_run_json)*)dlsym(loaded, "mxc_run_json") : NULL;
  if (run == NULL) return ++*(int*)failures, NULL;
  __typeof__(mxc_run_result_free)* const release =
      (__typeof__(mxc_run_result_free)*)dlsym(loaded, "mxc_run_result_free");
  MxcRunResult result;
  run("{\"version\":\"1.0.0\",\"containment\":\"process\",\"process\":{\"commandLine\":\"echo ran\"}}", 0,
      &result);
  if (result.stdout_utf8 == NULL || strcmp(result.stdout_utf8, "ran\n") != 0) ++*(int*)failures;
  release(&result);
  if (loaded != kept) dlclose(loaded);
  return NULL;
}

int main(int argc, char** argv) {
  int failures = 0;
  if (argc != 2 && argc != 3) return 2;
  library = argv[1];
  if (argc == 3) {
    kept = dlopen(library, RTLD_NOW);
    if (kept == NULL || chdir(argv[2]) != 0) return 2;
  }
  for (int i = 0; i < 20; ++i) {
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 131072);
    pthread_create(&thread, &attributes, Call, &failures);
    pthread_join(thread, NULL);
    pthread_attr_destroy(&attributes);
  }
  if (failures != 0) fprintf(stderr, "%d calls failed: %s\n", failures, dlerror());
  return failures != 0;
}
