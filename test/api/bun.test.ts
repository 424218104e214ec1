import { startProcess } from "../support/targets.ts"
import { blackBoxSuites } from "./suites/index.ts"
import { stores } from "./suites/stores.ts"

for (const { name, open } of stores) {
  blackBoxSuites(`Bun over ${name}`, async () => startProcess("bun", await open()))
}
