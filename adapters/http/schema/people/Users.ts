/**
 * Defines the management endpoints of users, and of the members of companies.
 *
 * @module
 */
import { Schema } from "effect"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import { volumeDays } from "../../../../core/accounts/Accounts.ts"
import { memberRoles, userStatuses } from "../../../../core/model/User.ts"
import { anyOf, byTime, listing, listOf, search, sortedListing } from "../Lists.ts"
import { envelope, maybe } from "../Envelope.ts"
import { confirmed, requiring, unconfirmed } from "../Requirements.ts"
import { id, oneOf } from "../Fields.ts"

const nullableText = Schema.NullOr(Schema.String)

const member = {
  userId: Schema.String,
  email: Schema.String,
  name: nullableText,
  role: Schema.Literals(memberRoles),
  liveAccess: Schema.Boolean,
  status: Schema.Literals(userStatuses),
  factors: Schema.Array(Schema.String),
  lastSeenAt: nullableText
}
const MemberShape = Schema.Struct(member).annotate({ identifier: "Member" })
const AddedMemberShape = Schema.Struct({
  ...member,
  link: Schema.NullOr(Schema.String).annotateKey({
    description:
      "The set-up link to give to the person, null where it is mailed; who is a user already signs in with it"
  })
}).annotate({ identifier: "AddedMember" })

const user = {
  id: Schema.String,
  email: Schema.String,
  name: nullableText,
  operator: Schema.Boolean,
  status: Schema.Literals(userStatuses),
  factors: Schema.Array(Schema.String),
  lastSeenAt: nullableText,
  createdAt: Schema.String
}
const UserShape = Schema.Struct(user).annotate({ identifier: "User" })
const ListedUserShape = Schema.Struct({
  ...user,
  volume: Schema.Int.annotateKey({
    description: `Emails that the live accounts of the companies of which the user is a member accepted in the last ${volumeDays} days, one for each recipient`
  })
}).annotate({ identifier: "ListedUser" })

const role = oneOf(memberRoles)
const path = { companyId: id, userId: id }

/** The routes of a company's members. */
export class MembersGroup extends HttpApiGroup.make("members")
  .add(
    HttpApiEndpoint.get("list", "/companies/:companyId/members", {
      params: { companyId: id },
      query: listing(byTime),
      success: envelope(listOf(MemberShape))
    }),
    HttpApiEndpoint.post("add", "/companies/:companyId/members", {
      params: { companyId: id },
      payload: Schema.Struct({
        email: Schema.String,
        name: maybe(Schema.String),
        role,
        liveAccess: Schema.optionalKey(Schema.Boolean)
      }),
      success: envelope(AddedMemberShape)
    }),
    HttpApiEndpoint.patch("change", "/companies/:companyId/members/:userId", {
      params: path,
      payload: Schema.Struct({
        role: Schema.optionalKey(role),
        liveAccess: Schema.optionalKey(Schema.Boolean)
      }),
      success: envelope(MemberShape)
    }),
    HttpApiEndpoint.delete("remove", "/companies/:companyId/members/:userId", {
      params: path,
      success: envelope(Schema.Null)
    })
  )
  .pipe(
    requiring({
      list: "members:read",
      add: confirmed("members:write"),
      change: confirmed("members:write"),
      remove: confirmed("members:write")
    })
  ) {}

/** The routes of the installation's users. */
export class UsersGroup extends HttpApiGroup.make("users")
  .add(
    HttpApiEndpoint.get("list", "/users", {
      query: {
        ...sortedListing({ time: byTime, name: ["Text", "Id"], volume: ["Count", "Id"] }, "-time"),
        state: anyOf(Schema.Literals(userStatuses)),
        q: search("The beginning of the name or of the address")
      },
      success: envelope(listOf(ListedUserShape))
    }),
    HttpApiEndpoint.patch("change", "/users/:id", {
      params: { id },
      payload: Schema.Struct({ status: oneOf(["Active", "Disabled"]) }),
      success: envelope(UserShape)
    }),
    HttpApiEndpoint.post("signOut", "/users/:id/sign-out", {
      params: { id },
      success: envelope(Schema.Struct({ ended: Schema.Int }))
    })
  )
  .pipe(
    requiring({
      list: unconfirmed("users:operate"),
      change: confirmed("users:operate"),
      signOut: unconfirmed("users:operate")
    })
  ) {}
