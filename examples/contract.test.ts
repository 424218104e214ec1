/**
 * Runs the contract suite of its port against the adapter of `OwnSuppressions.ts`: `npx vitest run contract.test.ts`.
 *
 * @module
 */
import { layer } from "@effect/vitest"
import { Layer } from "effect"
import * as Memory from "svc/adapters/memory"
import { suppressionStoreContract } from "svc/contract"
import * as OwnSuppressions from "./OwnSuppressions.ts"

// The suites need all ports. If two layers provide the same port, the later one is used.
const storage = Layer.merge(Memory.layer, OwnSuppressions.layer)

layer(storage, { excludeTestServices: true })("our own list", suppressionStoreContract)
