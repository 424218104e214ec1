/**
 * Holds the adapter of `OwnSuppressions.ts` to the contract of its port: `npx vitest run contract.test.ts`.
 *
 * @module
 */
import { layer } from "@effect/vitest"
import { Layer } from "effect"
import * as Memory from "svc/adapters/memory"
import { suppressionStoreContract } from "svc/contract"
import * as OwnSuppressions from "./OwnSuppressions.ts"

// The suites need all ports; where two layers give the same one, the later counts.
const storage = Layer.merge(Memory.layer, OwnSuppressions.layer)

layer(storage, { excludeTestServices: true })("our own list", suppressionStoreContract)
