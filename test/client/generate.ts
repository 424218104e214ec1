/**
 * Writes the generated files of `client/`.
 *
 * @module
 */
import { writeFile } from "node:fs/promises"
import { clients, generateClient } from "./Generator.ts"

for (const [file, target] of Object.entries(clients)) {
  await writeFile(new URL(`../../client/${file}`, import.meta.url), generateClient(target))
}
