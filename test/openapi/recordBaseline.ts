/**
 * Records the current contract as the baseline (`npm run contract:record`), unless a breaking change is missing in
 * `public-v1.changes.json`.
 *
 * @module
 */
import { existsSync } from "node:fs"
import { writeFile } from "node:fs/promises"
import { baselineFile, currentContract, readBaseline, readRecord, unrecordedChanges } from "./baseline.ts"

const current = currentContract()
const unrecorded = existsSync(baselineFile)
  ? unrecordedChanges(await readBaseline(), current, await readRecord())
  : []
if (unrecorded.length > 0) {
  process.stderr.write(`Record these in public-v1.changes.json first:\n${unrecorded.join("\n")}\n`)
  process.exitCode = 1
} else {
  await writeFile(baselineFile, `${JSON.stringify(current, null, 1)}\n`)
  process.stdout.write(`${baselineFile}\n`)
}
