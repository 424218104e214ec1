/**
 * Who made a change, for the audit log (docs/contributing/people.md 6).
 *
 * @module
 */

/** The kinds of actors. */
export const actorKinds = ["User", "Token", "ApiKey", "Cli", "System"] as const

/** A kind of actor. */
export type ActorKind = (typeof actorKinds)[number]

/** Who made a change, and from where. */
export interface Actor {
  readonly kind: ActorKind
  /** The id of the user, token or key; null where it has none. */
  readonly id: string | null
  /** Its name at the time of the change; null where it is not known. */
  readonly name: string | null
  readonly sessionId: string | null
  /** The network of the call; null for what the service does by itself. */
  readonly network: string | null
  readonly userAgent: string | null
}

const nowhere = { sessionId: null, network: null, userAgent: null }

/** The actor of calls with the management token. */
export const managementActor: Actor = { kind: "Token", id: null, name: "management", ...nowhere }

/** The actor of what the service does by itself. */
export const systemActor: Actor = { kind: "System", id: null, name: null, ...nowhere }

/** The actor of what a connected store reports. */
export const storeActor = (storeId: string): Actor => ({ ...systemActor, id: storeId, name: "store" })

/** The actor of calls with an API key. */
export const keyActor = (keyId: string): Actor => ({ kind: "ApiKey", id: keyId, name: null, ...nowhere })

/** The actor of what a user does about signing in, where no session is known yet. */
export const userActor = ({ id, name }: { readonly id: string; readonly name: string | null }): Actor => ({
  kind: "User",
  id,
  name,
  ...nowhere
})

/** The actor of commands on the database. */
export const cliActor: Actor = { kind: "Cli", id: null, name: null, ...nowhere }
