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
  /** The id of the user, token or key; null if it has none. */
  readonly id: string | null
  /** The actor's name at the time of the change; null if not known. */
  readonly name: string | null
  readonly sessionId: string | null
  /** The network of the call; null for actions of the service itself. */
  readonly network: string | null
  readonly userAgent: string | null
}

const nowhere = { sessionId: null, network: null, userAgent: null }

/** The actor of calls with the management token. */
export const managementActor: Actor = { kind: "Token", id: null, name: "management", ...nowhere }

/** The actor of actions of the service itself. */
export const systemActor: Actor = { kind: "System", id: null, name: null, ...nowhere }

/** An actor as audit entries store it and logs show it: `management`, `system`, or its kind and id, such as `api_key:<id>`. */
export const actorText = ({ id, kind, name }: Pick<Actor, "id" | "kind" | "name">): string => {
  if (id === null) return kind === "System" ? "system" : kind === "Cli" ? "cli" : "management"
  return kind === "System" ? `${name}:${id}` : `${prefixOf[kind]}:${id}`
}

const prefixOf = { User: "user", Token: "token", ApiKey: "api_key", Cli: "cli" } as const

/** Parses the text that an audit entry stores; entries of earlier versions store nothing else about their actor. */
export const parseActorText = (text: string): Pick<Actor, "id" | "kind" | "name"> => {
  const [, prefix = text, id = null] = /^([a-z_]+):(.*)$/s.exec(text) ?? []
  const kind = actorKinds.find((one) => one !== "System" && prefixOf[one] === prefix)
  if (kind !== undefined) return { kind, id, name: null }
  return text === "management" || (id === null && text !== "system")
    ? { kind: "Token", id: null, name: text }
    : { kind: "System", id, name: id === null ? null : prefix }
}

/** The prefixes of the texts of a kind of actor. */
export const textsOfKind = (kind: ActorKind): ReadonlyArray<string> => {
  if (kind === "System") return ["system", "store:"]
  if (kind === "Cli") return ["cli", "cli:"]
  return kind === "Token" ? ["management", "token:"] : [`${prefixOf[kind]}:`]
}

/** The actor of changes that users make. */
export const userActor = ({ id, name }: { readonly id: string; readonly name: string | null }): Actor => ({
  ...systemActor,
  kind: "User",
  id,
  name
})

/** The actor of commands that run on the database. */
export const cliActor: Actor = { ...systemActor, kind: "Cli", name: "svc" }

/** The actor of reports by a connected store. */
export const storeActor = (storeId: string): Actor => ({ ...systemActor, id: storeId, name: "store" })

/** The actor of calls with an API key. */
export const keyActor = (keyId: string): Actor => ({ kind: "ApiKey", id: keyId, name: null, ...nowhere })
