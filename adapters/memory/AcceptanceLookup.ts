/**
 * Reads everything that the acceptance of an email depends on, from the stores in memory.
 *
 * @module
 */
import { Layer } from "effect"
import { AcceptanceLookup } from "../../core/ports/AcceptanceLookup.ts"

/** The port, implemented with the ports that it reads. */
export const layer = Layer.effect(AcceptanceLookup, AcceptanceLookup.ofPorts)
