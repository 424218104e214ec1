/**
 * Declares what each endpoint of the management API requires of its caller: a right, a caller who is signed in, or nothing
 * (docs/contributing/people.md 1).
 *
 * @module
 */
import type { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import type { Requirement } from "../../../core/users/Caller.ts"
import { EndpointGuard, type Guard } from "./Envelope.ts"

/**
 * What an endpoint requires; `Anyone` may call those with which people sign in, and those of a `Session` take its cookie alone.
 */
export type Requires = Requirement | "Anyone" | "Session"

/** A group whose endpoints all declare what they require. */
export interface Requiring {
  readonly requirements: Readonly<Record<string, Requires>>
}

/** The guard of what an endpoint requires. */
export const guardOf = (requires: Requires): Guard => {
  if (requires === "Anyone") return { _tag: "Open" }
  return requires === "Session" ? { _tag: "Session" } : { _tag: "Management", requires }
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
