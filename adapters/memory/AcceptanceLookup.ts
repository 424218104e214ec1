/**
 * Reads what accepting an email depends on, from the stores in memory.
 *
 * @module
 */
import { Layer } from "effect"
import { AcceptanceLookup } from "../../core/ports/AcceptanceLookup.ts"

/** The port over the ports it reads. */
export const layer = Layer.effect(AcceptanceLookup, AcceptanceLookup.ofPorts)
