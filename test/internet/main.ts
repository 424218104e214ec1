/**
 * Runs a long simulation, and prints the results of its mail: `npm run internet -- --seed 7 --days 30`.
 *
 * @module
 */
import { parseArgs } from "node:util"
import { run } from "./course.ts"
import { faultsOf } from "./rules.ts"

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    days: { type: "string", default: "3" },
    scale: { type: "string", default: "1" },
    store: { type: "string", default: "memory" },
    sockets: { type: "boolean", default: false }
  }
})
const days = Math.max(3, Number(values.days))
const seen = await run({
  seed: Number(values.seed),
  days,
  scale: Number(values.scale),
  store: values.store === "pglite" ? "pglite" : "memory",
  wire: values.sockets ? "Sockets" : "Replies"
})

const lines: Array<string> = []
const counts = new Map<string, number>()
for (const { kind, sender, status } of seen.ended) {
  const key = `${kind.padEnd(12)} ${sender.padEnd(18)} ${status}`
  counts.set(key, (counts.get(key) ?? 0) + 1)
}
for (const [key, count] of [...counts].toSorted()) lines.push(`${key.padEnd(44)} ${count}`)
for (const { domain, made, peak } of seen.connections?.servers ?? [])
  lines.push(`${domain.padEnd(20)} ${made} connections, ${peak} at once`)
for (const { lane, state, until, words } of seen.notices)
  lines.push(`${lane} ${state} until ${until}: ${words}`)
lines.push(
  `${seen.ended.length} emails, ${seen.attempts} attempts, ${seen.suppressed.length} addresses suppressed`
)
const faults = faultsOf(seen)
process.stdout.write(`${[...lines, ...faults].join("\n")}\n`)
process.exitCode = faults.length === 0 ? 0 : 1
