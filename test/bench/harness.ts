/**
 * Measures how long the embedded service over memory takes to start, in a process that has already started some.
 *
 * @module
 */
import { setImmediate } from "node:timers/promises"
import { start } from "../../runtimes/embedded/index.ts"

const warmUp = 30
const samples = 100

const startOnce = async (): Promise<readonly [wall: number, cpu: number]> => {
  const [from, used] = [performance.now(), process.cpuUsage()]
  const service = await start()
  const wall = performance.now() - from
  const { system, user } = process.cpuUsage(used)
  await service.close()
  // A closed service is only freed in the next iteration of the event loop. Between tests there always is one.
  await setImmediate()
  return [wall, (system + user) / 1000]
}

/** Prints the elapsed and the CPU time of a start: the 10th and the 50th percentile. */
export const benchHarness = async (): Promise<void> => {
  for (let index = 0; index < warmUp; index++) await startOnce()
  const taken: Array<readonly [number, number]> = []
  while (taken.length < samples) taken.push(await startOnce())
  for (const [of, name] of ["time", "processor time"].entries()) {
    const sorted = taken.map((one) => one[of]!).toSorted((a, b) => a - b)
    const [tenth, half] = [sorted[samples / 10]!, sorted[samples / 2]!]
    console.log(
      `a warm start, ${name}: ${tenth.toFixed(1)} ms in a tenth, ${half.toFixed(1)} ms in half of them`
    )
  }
}
