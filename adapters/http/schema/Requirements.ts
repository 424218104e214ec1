/**
 * Declares what each endpoint of the management API requires of its caller: a right, a signed-in user, or nothing. For
 * sessions it also declares whether a factor must have been given recently (docs/contributing/people.md 1 and 2).
 *
 * @module
 */
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import type { Requirement } from "../../../core/users/Caller.ts"
import { type Confirmation, EndpointGuard, type Guard } from "./Envelope.ts"

/** The rights that an intruder with an open browser would want. Endpoints that require one declare whether they need a factor. */
type WeightyRight =
  | "archive:export"
  | "audit:read"
  | "company:delete"
  | "contacts:erase"
  | "contacts:export"
  | "domains:write"
  | "keys:write"
  | "members:write"
  | "stores:write"
  | "tokens:write"
  | "users:operate"

/** A requirement, and whether it needs a recent factor in a session. */
interface Weighed {
  readonly requires: Requirement | "Session"
  readonly confirmation: Confirmation
}

/** In a session, the endpoint needs a factor given in the last 15 minutes. */
export const confirmed = (requires: Requirement | "Session"): Weighed => ({
  requires,
  confirmation: "Always"
})

/** As `confirmed`, but only for some bodies: the handler decides, with `requireConfirmation`. */
export const confirmedByBody = (requires: Requirement): Weighed => ({ requires, confirmation: "ByBody" })

/** In a session, the endpoint needs only the right, and no recent factor. */
export const unconfirmed = (requires: WeightyRight): Weighed => ({ requires, confirmation: "Never" })

/**
 * What an endpoint requires. `Anyone` may call the endpoints for signing in. The endpoints with `Session` accept only its
 * cookie.
 */
export type Requires = Exclude<Requirement, WeightyRight> | "Anyone" | "Session" | Weighed

/** A group in which every endpoint declares what it requires. */
export interface Requiring {
  readonly requirements: Readonly<Record<string, Requires>>
}

/** The guard for what an endpoint requires. */
export const guardOf = (given: Requires): Guard => {
  if (given === "Anyone") return { _tag: "Open" }
  const { confirmation, requires } =
    typeof given === "string" ? { requires: given, confirmation: "Never" as const } : given
  return requires === "Session"
    ? { _tag: "Session", confirmation }
    : { _tag: "Management", requires, confirmation }
}

/** The endpoints of a group that a table omits, and the entries of a table that match no endpoint. */
type Mismatch<Group extends HttpApiGroup.Constraint, Table> =
  | Exclude<keyof Group["endpoints"], keyof Table>
  | Exclude<keyof Table, keyof Group["endpoints"]>

/**
 * Annotates each endpoint of a group with what it requires. The group does not compile if the table omits an endpoint, or
 * has an entry for none.
 */
export const requiring =
  <const Table extends Readonly<Record<string, Requires>>>(requirements: Table) =>
  <Group extends HttpApiGroup.Constraint>(
    group: Group
  ): [Mismatch<Group, Table>] extends [never] ? Group & Requiring : { mismatch: Mismatch<Group, Table> } => {
    const endpoints = Object.entries(group.endpoints as Record<string, HttpApiEndpoint.Top>)
    const guarded = endpoints.reduce<HttpApiGroup.Top>(
      (sum, [name, endpoint]) => sum.add(endpoint.annotate(EndpointGuard, guardOf(requirements[name]!))),
      group as unknown as HttpApiGroup.Top
    )
    return Object.assign(guarded, { requirements }) as never
  }
