import { startProcess } from "../support/targets.ts"
import { blackBoxSuites } from "./suites/index.ts"
import { stores } from "./suites/stores.ts"

for (const { name, open } of stores) {
  blackBoxSuites(`Node over ${name}`, async () => startProcess("node", await open()))
}
