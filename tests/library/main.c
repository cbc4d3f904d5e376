/* library_tests LIBRARY CASE... */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

const char* library_path;
const char* own_path;
static int failures;

void Fail(const char* file, int line, const char* what) {
  fprintf(stderr, "%s:%d: %s\n", file, line, what);
  __atomic_add_fetch(&failures, 1, __ATOMIC_SEQ_CST);
}

void CheckInt(const char* file, int line, const char* what, long actual, long expected) {
  if (actual == expected) return;
  char text[256];
  snprintf(text, sizeof text, "%s is %ld, not %ld", what, actual, expected);
  Fail(file, line, text);
}

void CheckText(const char* file, int line, const char* what, const char* actual, const char* expected) {
  if (actual == expected || (actual != NULL && expected != NULL && strcmp(actual, expected) == 0)) return;
  char text[1024];
  snprintf(text, sizeof text, "%s is \"%s\", not \"%s\"", what, actual ? actual : "(NULL)",
           expected ? expected : "(NULL)");
  Fail(file, line, text);
}

char* RequestWith(const char* command, const char* process, const char* more) {
  char* text = NULL;
  if (asprintf(&text,
               "{\"version\":\"1.0.0\",\"containment\":\"process\",\"process\":{\"commandLine\":\"%s\"%s}%s}",
               command, process, more) < 0)
    abort();
  return text;
}

char* Request(const char* command) { return RequestWith(command, "", ""); }

static int Entries(const char* directory) {
  DIR* open = opendir(directory);
  int count = 0;
  if (open == NULL) return -1;
  while (readdir(open) != NULL) ++count;
  closedir(open);
  return count;
}

int OpenDescriptors(void) { return Entries("/proc/self/fd"); }
int Threads(void) { return Entries("/proc/self/task"); }

int Children(void) {
  FILE* file = fopen("/proc/thread-self/children", "r");
  char text[256] = "";
  if (file == NULL) return -1;
  if (fgets(text, sizeof text, file) == NULL) text[0] = '\0';
  fclose(file);
  return text[0] != '\0';
}

long ProcessesWith(const char* argument) {
  DIR* processes = opendir("/proc");
  long count = 0;
  for (struct dirent* entry; (entry = readdir(processes)) != NULL;) {
    char path[300];
    char line[4096];
    snprintf(path, sizeof path, "/proc/%s/cmdline", entry->d_name);
    FILE* file = entry->d_name[0] >= '0' && entry->d_name[0] <= '9' ? fopen(path, "r") : NULL;
    if (file == NULL) continue;
    size_t size = fread(line, 1, sizeof line - 1, file);
    fclose(file);
    line[size] = '\0';
    for (size_t at = 0; at < size; at += strlen(line + at) + 1) {
      if (strcmp(line + at, argument) != 0) continue;
      ++count;
      break;
    }
  }
  closedir(processes);
  return count;
}

long Millis(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int Eventually(int (*condition)(void*), void* context) {
  for (long end = Millis() + 10000; Millis() < end; usleep(10000))
    if (condition(context)) return 1;
  return condition(context);
}

int main(int argc, char** argv) {
  const Case* const lists[] = {run_cases,      spawn_cases, stream_cases,
                               terminal_cases, host_cases,  lifecycle_cases};
  if (argc < 3) return 2;
  own_path = argv[0];
  library_path = argv[1];
  if (strcmp(argv[2], "host") == 0) return HostMain(argv[3], argv[4]);
  for (int i = 2; i < argc; ++i) {
    int known = 0;
    for (size_t list = 0; list < sizeof lists / sizeof *lists; ++list) {
      for (const Case* each = lists[list]; each->name != NULL; ++each) {
        if (strcmp(each->name, argv[i]) != 0) continue;
        each->run();
        known = 1;
      }
    }
    if (!known) Fail("main.c", __LINE__, argv[i]);
  }
  return failures != 0;
}
