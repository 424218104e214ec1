/**
 * Declares what each endpoint of the management API requires of its caller: a right, a caller who is signed in, or nothing;
 * and of a session, whether a factor was given lately (docs/contributing/people.md 1 and 2).
 *
 * @module
 */
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import type { Requirement } from "../../../core/users/Caller.ts"
import { type Confirmation, EndpointGuard, type Guard } from "./Envelope.ts"

/** The rights that give what an intruder with an open browser would want: their endpoints say whether they need a factor. */
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

/** A requirement with what it needs of a session beyond it. */
interface Weighed {
  readonly requires: Requirement | "Session"
  readonly confirmation: Confirmation
}

/** Of a session, the endpoint needs a factor that was given in the last 15 minutes. */
export const confirmed = (requires: Requirement | "Session"): Weighed => ({
  requires,
  confirmation: "Always"
})

/** As `confirmed`, for some bodies: the handler decides by `requireConfirmation`. */
export const confirmedByBody = (requires: Requirement): Weighed => ({ requires, confirmation: "ByBody" })

/** Of a session, the endpoint needs no factor beyond the right. */
export const unconfirmed = (requires: WeightyRight): Weighed => ({ requires, confirmation: "Never" })

/**
 * What an endpoint requires; `Anyone` may call those with which people sign in, and those of a `Session` take its cookie alone.
 */
export type Requires = Exclude<Requirement, WeightyRight> | "Anyone" | "Session" | Weighed

/** A group whose endpoints all declare what they require. */
export interface Requiring {
  readonly requirements: Readonly<Record<string, Requires>>
}

/** The guard of what an endpoint requires. */
export const guardOf = (given: Requires): Guard => {
  if (given === "Anyone") return { _tag: "Open" }
  const { confirmation, requires } =
    typeof given === "string" ? { requires: given, confirmation: "Never" as const } : given
  return requires === "Session"
    ? { _tag: "Session", confirmation }
    : { _tag: "Management", requires, confirmation }
}

/** The endpoints of a group that a table leaves out, and the entries of a table that name no endpoint. */
type Mismatch<Group extends HttpApiGroup.Constraint, Table> =
  | Exclude<keyof Group["endpoints"], keyof Table>
  | Exclude<keyof Table, keyof Group["endpoints"]>

/**
 * Gives each endpoint of a group what it requires. The class of a group does not compile where the table leaves out an
 * endpoint, or has an entry of none.
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
