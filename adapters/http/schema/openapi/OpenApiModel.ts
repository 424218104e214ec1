/**
 * Types of the parts of an OpenAPI 3.0.0 document that the generator uses.
 *
 * @module
 */

/** A schema of OpenAPI 3.0, a dialect of JSON Schema: `nullable`, no `const`, no lists of types. */
export interface SchemaObject {
  readonly $ref?: string
  readonly type?: "string" | "number" | "integer" | "boolean" | "object" | "array"
  readonly format?: string
  readonly nullable?: boolean
  readonly enum?: ReadonlyArray<unknown>
  readonly properties?: Readonly<Record<string, SchemaObject>>
  readonly required?: ReadonlyArray<string>
  readonly additionalProperties?: boolean | SchemaObject
  readonly items?: SchemaObject
  readonly anyOf?: ReadonlyArray<SchemaObject>
  readonly allOf?: ReadonlyArray<SchemaObject>
  readonly description?: string
  readonly default?: unknown
  readonly example?: unknown
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly minItems?: number
  readonly maxItems?: number
  readonly maxProperties?: number
  readonly minimum?: number
  readonly maximum?: number
}

/** Schemas by name. */
export type Schemas = Readonly<Record<string, SchemaObject>>

/** A reference into the document's components. */
export interface Reference {
  readonly $ref: string
}

/** A parameter of a path, a query or a header. */
export interface Parameter {
  readonly name: string
  readonly in: "path" | "query" | "header"
  readonly required: boolean
  readonly description?: string
  readonly schema: SchemaObject
  readonly example?: unknown
}

/** A body in one media type. */
export interface MediaType {
  readonly schema: SchemaObject
  readonly example?: unknown
}

/** A response header. */
export interface Header {
  readonly description: string
  readonly required: boolean
  readonly schema: SchemaObject
}

/** A call that a response makes possible. */
export interface Link {
  readonly operationId: string
  readonly parameters: Readonly<Record<string, string>>
}

/** A response. */
export interface Response {
  readonly description: string
  readonly headers?: Readonly<Record<string, Header | Reference>>
  readonly content?: Readonly<Record<string, MediaType>>
  readonly links?: Readonly<Record<string, Link>>
  /** The codes that its errors can have. */
  readonly "x-error-codes"?: ReadonlyArray<string>
}

/** A body that a call sends. */
export interface RequestBody {
  readonly required: boolean
  readonly description?: string
  readonly content: Readonly<Record<string, MediaType>>
}

/** A method of a path. */
export interface Operation {
  readonly operationId: string
  readonly tags: ReadonlyArray<string>
  readonly summary: string
  readonly description: string
  readonly security: ReadonlyArray<Readonly<Record<string, ReadonlyArray<string>>>>
  readonly parameters?: ReadonlyArray<Parameter>
  readonly requestBody?: RequestBody
  readonly responses: Readonly<Record<string, Response>>
  /** The permission that the key needs. */
  readonly "x-permission"?: string
  /** Every code that its errors can have. */
  readonly "x-error-codes"?: ReadonlyArray<string>
  /** The codes of a batch's entries. */
  readonly "x-entry-error-codes"?: ReadonlyArray<string>
}

/** Every method. */
export const methods = ["get", "post", "put", "patch", "delete"] as const

/** A method. */
export type Method = (typeof methods)[number]

/** The methods of a path. */
export type PathItem = Partial<Readonly<Record<Method, Operation>>>

/** A document. */
export interface OpenApiDocument {
  readonly openapi: "3.0.0"
  readonly info: {
    readonly title: string
    readonly version: string
    readonly description: string
    readonly contact: { readonly name: string; readonly url: string }
    readonly license: { readonly name: string; readonly url: string }
  }
  readonly servers: ReadonlyArray<{ readonly url: string; readonly description: string }>
  readonly tags: ReadonlyArray<{ readonly name: string; readonly description: string }>
  readonly paths: Readonly<Record<string, PathItem>>
  /** Requests that the service sends. OpenAPI has a keyword for them only from 3.1 on. */
  readonly "x-webhooks": Readonly<Record<string, PathItem>>
  readonly components: {
    readonly schemas: Schemas
    readonly headers: Readonly<Record<string, Header>>
    readonly securitySchemes: Readonly<Record<string, SecurityScheme>>
  }
}

/** A security scheme. */
export interface SecurityScheme {
  readonly type: "http"
  readonly scheme: "bearer"
  readonly bearerFormat: string
  readonly description: string
}
