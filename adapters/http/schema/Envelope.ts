/**
 * Defines the envelope of every JSON response, and the annotations of an endpoint: its guard, body shape and body
 * limit.
 *
 * @module
 */
import { Context, Schema } from "effect"
import type { Code } from "../../../core/shared/Problem.ts"
import type { Permission } from "../../../core/model/Permission.ts"
import { defaultPageSize, maxPageSize } from "../../../core/shared/Page.ts"
import type { Requirement } from "../../../core/users/Caller.ts"

const ErrorEntry = Schema.Struct({
  code: Schema.String.annotateKey({ description: "Stable; branch on it" }),
  message: Schema.String.annotateKey({ description: "English, for logs; it can change" }),
  params: Schema.NullOr(Schema.Record(Schema.String, Schema.Number)).annotateKey({
    description: "Numbers of the message, such as a minimum or maximum"
  })
}).annotate({ identifier: "Error" })

/** The response of a failed request. */
export const FailureShape = Schema.Struct({
  isSuccess: Schema.Literal(false),
  value: Schema.Null,
  status: Schema.Int.annotateKey({ description: "The HTTP status" }),
  errors: Schema.Array(ErrorEntry).annotate({ minItems: 1 }),
  fieldErrors: Schema.NullOr(Schema.Record(Schema.String, Schema.Array(ErrorEntry))).annotateKey({
    description: "The errors of request fields, by the field's path, such as `consent.proof.text`"
  })
}).annotate({ identifier: "Failure" })

/** The response to a body that is not JSON, or does not match the endpoint's shape. */
export const InvalidBodyShape = Schema.Struct({
  statusCode: Schema.Literal(400),
  message: Schema.String,
  errors: Schema.Record(Schema.String, Schema.Array(Schema.String)).annotateKey({
    description: "Messages by the field's path; `body` for the whole"
  })
}).annotate({ identifier: "ShapeRefusal" })

/** A response whose `value` has the given shape. */
export const envelope = <S extends Schema.Top>(value: S) =>
  Schema.Struct({
    isSuccess: Schema.Boolean,
    value,
    status: Schema.Int,
    errors: Schema.Array(ErrorEntry),
    fieldErrors: Schema.NullOr(Schema.Record(Schema.String, Schema.Array(ErrorEntry)))
  })

/** A page of a list; `total` describes a `totalCount` that is not always exact. */
export const pageOf = <S extends Schema.Top>(item: S, total?: string) =>
  Schema.Struct({
    items: Schema.Array(item),
    page: Schema.Int,
    pageSize: Schema.Int,
    totalCount: total === undefined ? Schema.Int : Schema.Int.annotate({ description: total })
  })

/** Query parameters of a list. */
export const paging = {
  page: Schema.optionalKey(Schema.Int.annotate({ minimum: 1, default: 1, description: "The page, from 1" })),
  pageSize: Schema.optionalKey(
    Schema.Int.annotate({
      minimum: 1,
      maximum: maxPageSize,
      default: defaultPageSize,
      description: "The maximum number of entries of the page"
    })
  )
}

/** An optional, nullable field of a request. */
export const maybe = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

/** Whether an endpoint requires, in a session, that a factor was given in the last 15 minutes. */
export type Confirmation = "Always" | "ByBody" | "Never"

/**
 * The callers that an endpoint accepts: a key with a permission, the token of the flow in the path, a caller of the
 * management API who has the required right, the store in the path, or anyone.
 */
export type Guard =
  | { readonly _tag: "Key"; readonly permission: Permission }
  | { readonly _tag: "FlowToken" }
  | { readonly _tag: "Management"; readonly requires: Requirement; readonly confirmation: Confirmation }
  | { readonly _tag: "Store" }
  | { readonly _tag: "Session"; readonly confirmation: Confirmation }
  | { readonly _tag: "Open" }

/** The annotation that carries an endpoint's guard. */
export class EndpointGuard extends Context.Service<EndpointGuard, Guard>()("svc/http/EndpointGuard") {}

/** A guard for callers whose key has the permission. */
export const keyWith = (permission: Permission): Guard => ({ _tag: "Key", permission })

/** A guard for callers with the token of the flow that `flowId` in the path names. */
export const flowToken: Guard = { _tag: "FlowToken" }

/** The list of a batch, whose elements succeed or fail individually. */
export interface BatchListOf {
  /** The name of the list in the body. */
  readonly name: string
  /** The shape of an element. */
  readonly element: Schema.Constraint
  /** The handler rejects a longer list. The elements beyond this number are not read. */
  readonly maxElements: number
  /** The maximum number of values of an element: members and entries at any depth. A valid element has fewer. */
  readonly maxValues: number
  /** The error code of an element that is nested too deeply, by the field in question; validation.type for other fields. */
  readonly tooDeep?: Readonly<Record<string, Code>>
}

/** The annotation that carries the list of a batch; null if a body is valid or invalid as a whole. */
export const BatchList = Context.Reference<BatchListOf | null>("svc/http/BatchList", {
  defaultValue: () => null
})

/** Whether a call may omit its body, which then counts as a body without fields. */
export const OptionalBody = Context.Reference<boolean>("svc/http/OptionalBody", { defaultValue: () => false })

/**
 * Whether the work of an endpoint grows with the data of the account, as that of a count does. Its calls need a slot of the
 * account's `ReadShare`. Paginated endpoints do not need this annotation.
 */
export const IsExpensive = Context.Reference<boolean>("svc/http/IsExpensive", { defaultValue: () => false })

/** Whether an endpoint returns the content of an email. Reading it is recorded in the audit log. */
export const ReadsContent = Context.Reference<boolean>("svc/http/ReadsContent", { defaultValue: () => false })

/** Whether the calls of an endpoint may exceed the time limit of replies. Their callers wait until they are done. */
export const TakesLong = Context.Reference<boolean>("svc/http/TakesLong", { defaultValue: () => false })

/** Whether the body of an endpoint may be compressed; its handler decompresses it. Other endpoints reject such bodies. */
export const TakesCompressed = Context.Reference<boolean>("svc/http/TakesCompressed", {
  defaultValue: () => false
})

/** The maximum size of an endpoint's body, in bytes; by default 10 MB. */
export const MaxBody = Context.Reference<number>("svc/http/MaxBody", { defaultValue: () => 10 * 1024 * 1024 })
