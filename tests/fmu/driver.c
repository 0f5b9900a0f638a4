/* An external C program that simulates with a unit: it loads the library, looks the functions up and runs the
 * case of its first argument.
 *
 *   driver CASE LIBRARY RESOURCES_URI GUID NAME=VALUE_REFERENCE ...
 *
 * If a check fails, it exits with status 1 and prints the line of the check. */
#define _POSIX_C_SOURCE 200809L
#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "io/fmu/fmi2.h"

#define EXPECT(condition)                                                                         \
  do {                                                                                            \
    if (!(condition)) {                                                                           \
      fprintf(stderr, "driver.c:%d: %s; last message: %s\n", __LINE__, #condition, last_message); \
      exit(1);                                                                                    \
    }                                                                                             \
  } while (0)

static char last_message[2048] = "";
static fmi2Status last_status;
static int messages;

static void take_message(fmi2ComponentEnvironment environment, fmi2String instance, fmi2Status status,
                         fmi2String category, fmi2String message, ...) {
  va_list list;
  (void)environment;
  (void)instance;
  (void)category;
  va_start(list, message);
  vsnprintf(last_message, sizeof last_message, message, list);
  va_end(list);
  last_status = status;
  ++messages;
}

static int said(const char* words) { return strstr(last_message, words) != NULL; }

static const fmi2CallbackFunctions callbacks = {take_message, calloc, free, NULL, NULL};

/* --- the library */

static struct {
  fmi2GetTypesPlatformTYPE* GetTypesPlatform;
  fmi2GetVersionTYPE* GetVersion;
  fmi2SetDebugLoggingTYPE* SetDebugLogging;
  fmi2InstantiateTYPE* Instantiate;
  fmi2FreeInstanceTYPE* FreeInstance;
  fmi2SetupExperimentTYPE* SetupExperiment;
  fmi2EnterInitializationModeTYPE* EnterInitializationMode;
  fmi2ExitInitializationModeTYPE* ExitInitializationMode;
  fmi2TerminateTYPE* Terminate;
  fmi2ResetTYPE* Reset;
  fmi2GetRealTYPE* GetReal;
  fmi2GetIntegerTYPE* GetInteger;
  fmi2GetBooleanTYPE* GetBoolean;
  fmi2GetStringTYPE* GetString;
  fmi2SetRealTYPE* SetReal;
  fmi2SetIntegerTYPE* SetInteger;
  fmi2SetBooleanTYPE* SetBoolean;
  fmi2SetStringTYPE* SetString;
  fmi2GetFMUstateTYPE* GetFMUstate;
  fmi2SetFMUstateTYPE* SetFMUstate;
  fmi2FreeFMUstateTYPE* FreeFMUstate;
  fmi2SerializedFMUstateSizeTYPE* SerializedFMUstateSize;
  fmi2SerializeFMUstateTYPE* SerializeFMUstate;
  fmi2DeSerializeFMUstateTYPE* DeSerializeFMUstate;
  fmi2GetDirectionalDerivativeTYPE* GetDirectionalDerivative;
  fmi2SetRealInputDerivativesTYPE* SetRealInputDerivatives;
  fmi2GetRealOutputDerivativesTYPE* GetRealOutputDerivatives;
  fmi2DoStepTYPE* DoStep;
  fmi2CancelStepTYPE* CancelStep;
  fmi2GetStatusTYPE* GetStatus;
  fmi2GetRealStatusTYPE* GetRealStatus;
  fmi2GetIntegerStatusTYPE* GetIntegerStatus;
  fmi2GetBooleanStatusTYPE* GetBooleanStatus;
  fmi2GetStringStatusTYPE* GetStringStatus;
} fmu;

/* ISO C has no cast from an object's address to a function's; POSIX guarantees the same representation. */
#define LOOK_UP(name)                                    \
  do {                                                   \
    *(void**)(&fmu.name) = dlsym(library, "fmi2" #name); \
    if (fmu.name == NULL) {                              \
      fprintf(stderr, "there is no fmi2%s\n", #name);    \
      exit(1);                                           \
    }                                                    \
  } while (0)

static void* load(const char* path) {
  void* const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    exit(1);
  }
  LOOK_UP(GetTypesPlatform);
  LOOK_UP(GetVersion);
  LOOK_UP(SetDebugLogging);
  LOOK_UP(Instantiate);
  LOOK_UP(FreeInstance);
  LOOK_UP(SetupExperiment);
  LOOK_UP(EnterInitializationMode);
  LOOK_UP(ExitInitializationMode);
  LOOK_UP(Terminate);
  LOOK_UP(Reset);
  LOOK_UP(GetReal);
  LOOK_UP(GetInteger);
  LOOK_UP(GetBoolean);
  LOOK_UP(GetString);
  LOOK_UP(SetReal);
  LOOK_UP(SetInteger);
  LOOK_UP(SetBoolean);
  LOOK_UP(SetString);
  LOOK_UP(GetFMUstate);
  LOOK_UP(SetFMUstate);
  LOOK_UP(FreeFMUstate);
  LOOK_UP(SerializedFMUstateSize);
  LOOK_UP(SerializeFMUstate);
  LOOK_UP(DeSerializeFMUstate);
  LOOK_UP(GetDirectionalDerivative);
  LOOK_UP(SetRealInputDerivatives);
  LOOK_UP(GetRealOutputDerivatives);
  LOOK_UP(DoStep);
  LOOK_UP(CancelStep);
  LOOK_UP(GetStatus);
  LOOK_UP(GetRealStatus);
  LOOK_UP(GetIntegerStatus);
  LOOK_UP(GetBooleanStatus);
  LOOK_UP(GetStringStatus);
  EXPECT(strcmp(fmu.GetTypesPlatform(), "default") == 0);
  EXPECT(strcmp(fmu.GetVersion(), "2.0") == 0);
  return library;
}

/* --- names */

static int names;
static char** named; /* "shaft.rate=5" */

static fmi2ValueReference reference(const char* name) {
  const size_t length = strlen(name);
  for (int k = 0; k < names; ++k) {
    if (strncmp(named[k], name, length) == 0 && named[k][length] == '=')
      return (fmi2ValueReference)strtoul(named[k] + length + 1, NULL, 10);
  }
  fprintf(stderr, "no value reference of '%s' was given\n", name);
  exit(1);
}

static double get(fmi2Component c, const char* name) {
  const fmi2ValueReference r = reference(name);
  double value = NAN;
  EXPECT(fmu.GetReal(c, &r, 1, &value) == fmi2OK);
  return value;
}

static void set(fmi2Component c, const char* name, double value) {
  const fmi2ValueReference r = reference(name);
  EXPECT(fmu.SetReal(c, &r, 1, &value) == fmi2OK);
}

static const char* hash(fmi2Component c, char* text) {
  const fmi2ValueReference r = reference("state_hash");
  fmi2String value = NULL;
  EXPECT(fmu.GetString(c, &r, 1, &value) == fmi2OK);
  EXPECT(strlen(value) == 16);
  return strcpy(text, value);
}

/* --- a simulation */

static const char *resources, *guid;
static const double time_step = 1e-3;

static fmi2Component make(void) {
  fmi2Component c =
      fmu.Instantiate("one", fmi2CoSimulation, guid, resources, &callbacks, fmi2False, fmi2False);
  EXPECT(c != NULL);
  return c;
}

static void begin(fmi2Component c, int threads) {
  const fmi2ValueReference r = reference("threads");
  EXPECT(fmu.SetupExperiment(c, fmi2False, 0.0, 0.0, fmi2False, 0.0) == fmi2OK);
  EXPECT(fmu.SetInteger(c, &r, 1, &threads) == fmi2OK);
  EXPECT(fmu.EnterInitializationMode(c) == fmi2OK);
  EXPECT(fmu.ExitInitializationMode(c) == fmi2OK);
}

/* Speed by torque. */
struct Controller {
  double wanted, sum;
};

static void control_step(fmi2Component c, struct Controller* pi, double t, double h) {
  const double missing = pi->wanted - get(c, "shaft.rate");
  const double torque = 0.15 * missing + pi->sum;
  pi->sum += 10.0 * missing * h;
  set(c, "shaft.motor", torque);
  set(c, "lid.force", 5.0);
  EXPECT(fmu.DoStep(c, t, h, fmi2False) == fmi2OK);
}

/* Runs up to a time; returns the mean rate over the last half. */
static double control(fmi2Component c, double to) {
  struct Controller pi = {4.0, 0.0};
  const double h = 2.0 * time_step;
  const int steps = (int)(to / h + 0.5);
  double sum = 0.0;
  for (int k = 0; k < steps; ++k) {
    control_step(c, &pi, k * h, h);
    if (k >= steps / 2) sum += get(c, "shaft.rate");
  }
  return sum / (steps - steps / 2);
}

/* Prints the values of all names after each of N steps of H: follow... then "steps=N" and "size=H" among
 * names. */
static void follow(void) {
  const unsigned steps = reference("steps"), size = reference("size_us");
  const double h = size * 1e-6;
  fmi2Component c = make();
  begin(c, 1);
  for (unsigned n = 0; n < steps; ++n) {
    EXPECT(fmu.DoStep(c, n * h, h, fmi2True) == fmi2OK);
    for (int k = 0; k < names; ++k) {
      const fmi2ValueReference r = (fmi2ValueReference)strtoul(strrchr(named[k], '=') + 1, NULL, 10);
      double value = NAN;
      if (strchr(named[k], '.') == NULL) continue;
      EXPECT(fmu.GetReal(c, &r, 1, &value) == fmi2OK);
      printf("%.17g ", value);
    }
    printf("\n");
  }
  char text[32];
  printf("%s\n", hash(c, text));
  EXPECT(fmu.Terminate(c) == fmi2OK);
  fmu.FreeInstance(c);
  EXPECT(messages == 0);
}

static void controlled(void) {
  char first[32], again[32];
  fmi2Component c = make();
  begin(c, 1);
  EXPECT(get(c, "shaft.motor") == 0.0 && get(c, "shaft.coordinate") == 0.0);
  EXPECT(get(c, "bin.-z.force_z_N") == 0.0);
  const double rate = control(c, 1.0);
  printf("mean rate %.4g rad/s, torque %.4g N m\n", rate, get(c, "shaft.motor"));
  EXPECT(fabs(rate - 4.0) < 0.4);
  EXPECT(fabs(get(c, "shaft.motor_force") - get(c, "shaft.motor")) < 1e-6);
  /* The floor carries grains of 3.0 kg, a lid of 0.5 kg and 5 N on it, 39 N in all, minus the loads of walls
   * and paddle. */
  EXPECT(get(c, "bin.-z.force_z_N") < -20.0);
  hash(c, first);
  EXPECT(fmu.Terminate(c) == fmi2OK);
  EXPECT(fmu.DoStep(c, 1.0, time_step, fmi2False) == fmi2Error && said("not allowed in the current state"));
  EXPECT(fmu.Reset(c) == fmi2OK);
  EXPECT(get(c, "shaft.motor") == 0.0 && get(c, "shaft.coordinate") == 0.0);
  begin(c, 2);
  control(c, 1.0);
  EXPECT(strcmp(hash(c, again), first) == 0);
  fmu.FreeInstance(c);
}

static void rollback(void) {
  char text[32], after[32], other[32];
  const double h = time_step;
  struct Controller pi = {4.0, 0.0}, then;
  fmi2FMUstate state = NULL;
  fmi2Component c = make();
  begin(c, 1);
  for (int k = 0; k < 300; ++k) control_step(c, &pi, k * h, h);
  then = pi;
  EXPECT(fmu.GetFMUstate(c, &state) == fmi2OK && state != NULL);
  const double rate = get(c, "shaft.rate"), floor_force = get(c, "bin.-z.force_z_N"),
               torque = get(c, "shaft.motor");
  for (int k = 300; k < 350; ++k) control_step(c, &pi, k * h, h);
  hash(c, after);
  EXPECT(fmu.SetFMUstate(c, state) == fmi2OK);
  EXPECT(get(c, "shaft.rate") == rate && get(c, "bin.-z.force_z_N") == floor_force &&
         get(c, "shaft.motor") == torque);
  pi = then;
  for (int k = 300; k < 350; ++k) control_step(c, &pi, k * h, h);
  EXPECT(strcmp(hash(c, text), after) == 0);
  /* The same memory, used again; other inputs, another end. */
  const fmi2FMUstate memory = state;
  EXPECT(fmu.SetFMUstate(c, state) == fmi2OK && fmu.GetFMUstate(c, &state) == fmi2OK && state == memory);
  set(c, "shaft.motor", -1.0);
  for (int k = 300; k < 350; ++k) EXPECT(fmu.DoStep(c, k * h, h, fmi2False) == fmi2OK);
  EXPECT(strcmp(hash(c, other), after) != 0);
  EXPECT(fmu.FreeFMUstate(c, &state) == fmi2OK && state == NULL);
  EXPECT(fmu.FreeFMUstate(c, &state) == fmi2OK);
  EXPECT(fmu.SetFMUstate(c, NULL) == fmi2Error);
  fmu.FreeInstance(c);
}

static void* control_alone(void* of) {
  control(*(fmi2Component*)of, 0.3);
  return NULL;
}

static void two(void) {
  char first[32], second[32];
  const double h = 2.0 * time_step;
  fmi2Component a = make(), b = make();
  begin(a, 1);
  control(a, 0.3);
  hash(a, first);
  /* Alternately, b with other inputs and another number of threads. */
  EXPECT(fmu.Reset(a) == fmi2OK);
  begin(a, 1);
  begin(b, 2);
  struct Controller one = {4.0, 0.0}, other = {-2.0, 0.0};
  for (int k = 0; k < 150; ++k) {
    control_step(a, &one, k * h, h);
    control_step(b, &other, k * h, h);
  }
  EXPECT(strcmp(hash(a, second), first) == 0);
  EXPECT(strcmp(hash(b, second), first) != 0);
  /* At the same time. */
  for (int threads = 1; threads <= 2; ++threads) {
    pthread_t thread;
    EXPECT(fmu.Reset(a) == fmi2OK && fmu.Reset(b) == fmi2OK);
    begin(a, 1);
    begin(b, threads);
    EXPECT(pthread_create(&thread, NULL, control_alone, &a) == 0);
    control(b, 0.3);
    EXPECT(pthread_join(thread, NULL) == 0);
    EXPECT(strcmp(hash(a, second), first) == 0);
    EXPECT(strcmp(hash(b, second), first) == 0);
  }
  fmu.FreeInstance(a);
  fmu.FreeInstance(b);
}

static void mistakes(void) {
  const char* const other = "{00000000-0000-0000-0000-000000000000}";
  EXPECT(fmu.Instantiate("x", fmi2CoSimulation, other, resources, &callbacks, 0, 0) == NULL && said("guid"));
  EXPECT(last_status == fmi2Error);
  EXPECT(fmu.Instantiate("x", fmi2ModelExchange, guid, resources, &callbacks, 0, 0) == NULL &&
         said("co-simulation"));
  EXPECT(fmu.Instantiate("x", fmi2CoSimulation, guid, "file:///no%20where", &callbacks, 0, 0) == NULL);
  EXPECT(said("/no where/scene.toml"));
  EXPECT(fmu.Instantiate("x", fmi2CoSimulation, guid, NULL, &callbacks, 0, 0) == NULL);
  EXPECT(fmu.DoStep(NULL, 0.0, time_step, fmi2False) == fmi2Error);

  char text[32], end[32];
  double value = 1.0;
  fmi2ValueReference r = reference("shaft.rate");
  fmi2Component c = make();
  EXPECT(fmu.DoStep(c, 0.0, time_step, fmi2False) == fmi2Error && said("not allowed in the current state"));
  EXPECT(fmu.ExitInitializationMode(c) == fmi2Error && said("fmi2ExitInitializationMode"));
  begin(c, 1);
  EXPECT(fmu.SetupExperiment(c, 0, 0.0, 0.0, 0, 0.0) == fmi2Error);
  EXPECT(fmu.SetReal(c, &r, 1, &value) == fmi2Error && said("'shaft.rate' is an output"));
  EXPECT(fmu.GetInteger(c, &r, 1, (int[]){0}) == fmi2Error && said("is a Real, not a Integer"));
  r = 100000;
  EXPECT(fmu.GetReal(c, &r, 1, &value) == fmi2Error && said("no value reference 100000"));
  /* All or none. */
  const fmi2ValueReference both[] = {reference("lid.force"), reference("shaft.motor")};
  const double values[] = {7.0, NAN};
  EXPECT(fmu.SetReal(c, both, 2, values) == fmi2Error && said("finite"));
  EXPECT(get(c, "lid.force") == 0.0);
  r = reference("threads");
  EXPECT(fmu.SetInteger(c, &r, 1, (int[]){2}) == fmi2Error && said("before"));
  EXPECT(fmu.SetString(c, &r, 1, (fmi2String[]){"x"}) == fmi2Error);

  for (int k = 0; k < 10; ++k) EXPECT(fmu.DoStep(c, k * time_step, time_step, fmi2False) == fmi2OK);
  hash(c, text);
  const double wrong[] = {1.5e-3, 1e-4, 0.0, -1e-3, NAN, INFINITY};
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; ++k) {
    messages = 0;
    EXPECT(fmu.DoStep(c, 10.0 * time_step, wrong[k], fmi2False) == fmi2Error);
    EXPECT(messages == 1 && said("not a whole multiple of the scene's time_step, 0.001 s"));
  }
  EXPECT(fmu.DoStep(c, 11.0 * time_step, time_step, fmi2False) == fmi2Error && said("communication point"));
  EXPECT(fmu.DoStep(c, NAN, time_step, fmi2False) == fmi2Error && said("communication point"));
  EXPECT(strcmp(hash(c, end), text) == 0); /* the state is unchanged */
  EXPECT(fmu.DoStep(c, 10.0 * time_step, 3.0 * time_step, fmi2False) == fmi2OK);
  EXPECT(strcmp(hash(c, end), text) != 0);

  size_t size = 0;
  fmi2FMUstate state = NULL;
  EXPECT(fmu.SerializedFMUstateSize(c, state, &size) == fmi2Error);
  EXPECT(fmu.SerializeFMUstate(c, state, NULL, 0) == fmi2Error);
  EXPECT(fmu.DeSerializeFMUstate(c, NULL, 0, &state) == fmi2Error);
  EXPECT(fmu.GetDirectionalDerivative(c, &r, 1, &r, 1, &value, &value) == fmi2Error);
  EXPECT(fmu.SetRealInputDerivatives(c, &r, 1, (int[]){1}, &value) == fmi2Error);
  EXPECT(fmu.GetRealOutputDerivatives(c, &r, 1, (int[]){1}, &value) == fmi2Error);
  EXPECT(fmu.CancelStep(c) == fmi2Error);
  EXPECT(fmu.GetRealStatus(c, fmi2LastSuccessfulTime, &value) == fmi2OK && fabs(value - 0.013) < 1e-12);
  fmi2Status status;
  EXPECT(fmu.GetStatus(c, fmi2DoStepStatus, &status) == fmi2Discard);
  fmu.FreeInstance(c);
  fmu.FreeInstance(NULL);
}

/* A scene that an event ends at 0.05 s, and adaptive steps: any communication step is valid. */
static void ends(void) {
  fmi2Component c = make();
  const double h = 0.013, start = 100.0;
  fmi2Boolean over = fmi2True;
  double t = start, value = 0.0;
  EXPECT(fmu.SetDebugLogging(c, fmi2True, 0, NULL) == fmi2OK);
  EXPECT(fmu.SetupExperiment(c, fmi2False, 0.0, start, fmi2False, 0.0) == fmi2OK);
  EXPECT(fmu.EnterInitializationMode(c) == fmi2OK && fmu.ExitInitializationMode(c) == fmi2OK);
  for (int k = 0; k < 3; ++k, t += h) {
    EXPECT(fmu.DoStep(c, t, h, fmi2False) == fmi2OK);
    EXPECT(fmu.GetRealStatus(c, fmi2LastSuccessfulTime, &value) == fmi2OK && fabs(value - (t + h)) < 1e-9);
  }
  EXPECT(fmu.DoStep(c, t, -h, fmi2False) == fmi2Error && said("must be positive"));
  EXPECT(fmu.GetBooleanStatus(c, fmi2Terminated, &over) == fmi2OK && over == fmi2False);
  EXPECT(fmu.DoStep(c, t, h, fmi2False) == fmi2Discard && said("100 % done"));
  EXPECT(fmu.GetBooleanStatus(c, fmi2Terminated, &over) == fmi2OK && over == fmi2True);
  EXPECT(fmu.GetRealStatus(c, fmi2LastSuccessfulTime, &value) == fmi2OK &&
         fabs(value - (start + 0.05)) < 1e-9);
  EXPECT(fmu.DoStep(c, value, h, fmi2False) == fmi2Error && said("fmi2Reset"));
  fmu.FreeInstance(c);
}

/* Importers unload the library after each simulation: its threads must not crash. */
static const char* path;
static void* loaded;
static void reload(void) {
  char first[32] = "", text[32];
  for (int time = 0; time < 3; ++time) {
    fmi2Component c = make();
    begin(c, 2);
    control(c, 0.05);
    hash(c, text);
    if (time == 0) strcpy(first, text);
    EXPECT(strcmp(text, first) == 0);
    fmu.FreeInstance(c);
    EXPECT(dlclose(loaded) == 0);
    nanosleep(&(struct timespec){0, 50000000}, NULL);
    loaded = load(path);
  }
}

/* A unit whose scene has an error: its message goes to stdout. */
static void faulty(void) {
  EXPECT(fmu.Instantiate("x", fmi2CoSimulation, guid, resources, &callbacks, 0, 0) == NULL);
  printf("%s\n", last_message);
}

int main(int count, char** arguments) {
  static const struct {
    const char* name;
    void (*run)(void);
  } cases[] = {{"follow", follow},     {"control", controlled}, {"rollback", rollback}, {"two", two},
               {"mistakes", mistakes}, {"reload", reload},      {"ends", ends},         {"faulty", faulty}};
  if (count < 5) return 2;
  path = arguments[2];
  loaded = load(path);
  resources = arguments[3];
  guid = arguments[4];
  names = count - 5;
  named = arguments + 5;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
    if (strcmp(arguments[1], cases[k].name) != 0) continue;
    cases[k].run();
    return 0;
  }
  return 2;
}
