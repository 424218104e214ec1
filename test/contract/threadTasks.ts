/**
 * Tasks that the contract suite runs in threads: well-behaved ones, and some that exceed every limit.
 *
 * @module
 */
import type { ThreadFunction, ThreadTask } from "../../core/ports/Threads.ts"

const module = import.meta.url

const result = <Output>(value: Output, transfer: ReadonlyArray<ArrayBuffer> = []) => ({ value, transfer })

/** Reverses bytes, in a buffer that is transferred. */
export const reverse: ThreadFunction<Uint8Array<ArrayBuffer>, Uint8Array> = (bytes) => {
  const reversed = bytes.toReversed()
  return result(reversed, [reversed.buffer])
}

/** Keeps a thread busy for a number of milliseconds. */
export const spin: ThreadFunction<number, number> = (millis) => {
  const end = performance.now() + millis
  while (performance.now() < end);
  return result(millis)
}

/** Never returns, and uses more and more memory. */
export const hoard: ThreadFunction<null, never> = () => {
  for (const kept: Array<object> = []; ;) kept.push({ count: kept.length, text: `kept ${kept.length}` })
}

/** Throws. */
export const fail: ThreadFunction<null, never> = () => {
  throw new Error("as it should")
}

const task = <Input, Output>(name: string, maxMillis: number): ThreadTask<Input, Output> => ({
  module,
  name,
  maxMillis
})

/** The tasks. */
export const tasks = {
  reverse: task<Uint8Array<ArrayBuffer>, Uint8Array>("reverse", 10_000),
  /** Normal runs end within this time. */
  spin: task<number, number>("spin", 20_000),
  spinTooLong: task<number, number>("spin", 200),
  hoard: task<null, never>("hoard", 60_000),
  fail: task<null, never>("fail", 10_000)
}
