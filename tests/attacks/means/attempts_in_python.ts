/** Python that runs the programs of attempts, each of which may fail. */

/** Runs programs at once, in threads or, where they change what threads share, in processes; `tag` is that of each. */
export const AT_ONCE = {
  threads: (programs) => `
import _thread
def attempt(at, tag, program, ended):
  try: exec(program, {**globals(), "tag": tag.encode()})
  except BaseException as error: print(at, repr(error))
  ended.release()
locks = []
for at, (tag, program) in enumerate(${JSON.stringify(programs)}):
  locks.append(_thread.allocate_lock())
  locks[at].acquire()
  _thread.start_new_thread(attempt, (at, tag, program, locks[at]))
for one in locks: one.acquire()
`,
  processes: (programs) => `
for at, (tag, program) in enumerate(${JSON.stringify(programs)}):
  if os.fork(): continue
  tag = tag.encode()
  try: exec(program)
  except BaseException as error: print(at, repr(error))
  sys.stdout.flush()
  os._exit(0)
try:
  while True: os.wait()
except ChildProcessError: pass
`,
} satisfies Readonly<Record<string, (programs: readonly (readonly [tag: string, program: string])[]) => string>>;

/** Runs programs in turn, and `after` after each; `at` is its number. */
export const IN_TURN = {
  here: (programs, after) => `
for at, program in enumerate(${JSON.stringify(programs)}):
  try: exec(program, dict(globals()))
  except BaseException as error: print(at, repr(error))
  ${after}
`,
  processes: (programs, after) => `
for at, program in enumerate(${JSON.stringify(programs)}):
  sys.stdout.flush()
  if os.fork() == 0:
    try: exec(program)
    except BaseException as error: print(at, repr(error))
    sys.stdout.flush()
    os._exit(0)
  os.wait()
  ${after}
`,
} satisfies Readonly<Record<string, (programs: readonly string[], after: string) => string>>;
