/**
 * Writes `client/generated.ts`.
 *
 * @module
 */
import { writeFile } from "node:fs/promises"
import { generateClient } from "./Generator.ts"

await writeFile(new URL("../../client/generated.ts", import.meta.url), generateClient())
