/**
 * Defines the parameters and the response that all lists of the management API share (docs/management-api.md "Lists").
 *
 * @module
 */
import { Schema } from "effect"
import { maxCounted, maxPageSize, type PlaceKind } from "../../../core/shared/Page.ts"

/** The order of a list, and the kinds of the values that determine an item's position. */
export interface ListOrder {
  readonly places: Readonly<Record<string, ReadonlyArray<PlaceKind>>>
  /** The default of `sort`, such as `-time`. */
  readonly otherwise: string
}

/** The annotation of the parameter `after`. Cursors are made and checked according to it. */
export const listOrder = "x-list-order"

/** Newest first by a time, then by id. */
export const byTime: ReadonlyArray<PlaceKind> = ["Time", "Id"]

/** Newest first by id, which contains the time. */
export const byId: ReadonlyArray<PlaceKind> = ["Id"]

const positive = Schema.Int.annotate({ minimum: 1 })

const paramsOf = (order: ListOrder) => ({
  page: Schema.optionalKey(positive.annotate({ description: "The page, from 1; not together with `after`" })),
  pageSize: Schema.optionalKey(
    Schema.Int.annotate({ minimum: 1, maximum: maxPageSize, description: "As `limit`" })
  ),
  limit: Schema.optionalKey(
    Schema.Int.annotate({
      minimum: 1,
      maximum: maxPageSize,
      description: "The maximum number of entries of the page; 50 by default"
    })
  ),
  after: Schema.optionalKey(
    Schema.String.annotate({
      description: "`next` of the page before: the page begins behind it",
      [listOrder]: order
    })
  ),
  count: Schema.optionalKey(
    Schema.Literals(["exact"]).annotate({ description: `Count exactly, also beyond ${maxCounted} entries` })
  )
})

/** The parameters of a list that has one order. */
export const listing = (place: ReadonlyArray<PlaceKind>) =>
  paramsOf({ places: { time: place }, otherwise: "-time" })

/** The parameters of a list that its caller may sort, in either direction. */
export const sortedListing = <const Name extends string>(
  places: Readonly<Record<Name, ReadonlyArray<PlaceKind>>>,
  otherwise: NoInfer<Name> | `-${NoInfer<Name>}`
) => ({
  ...paramsOf({ places, otherwise }),
  sort: Schema.optionalKey(
    Schema.Literals(
      (Object.keys(places) as ReadonlyArray<string> as ReadonlyArray<Name>).flatMap(
        (name): ReadonlyArray<Name | `-${Name}`> => [name, `-${name}`]
      )
    ).annotate({ description: `The order, descending with \`-\`; ${otherwise} by default` })
  )
})

/** The maximum number of values of one filter. */
export const maxFilterValues = 100

/** A filter with one or more values, separated by commas. It matches entries that have any of them. */
export const anyOf = <S extends Schema.Top>(value: S, description?: string) =>
  Schema.optionalKey(
    Schema.Array(value).annotate({
      maxItems: maxFilterValues,
      description:
        description === undefined
          ? "Several values are separated by commas"
          : `${description}; several values are separated by commas`
    })
  )

/** A filter by whether something is true of an entry. */
export const trueOrFalse = (description: string) => anyOf(Schema.Literals(["true", "false"]), description)

/** A time of a query: ISO 8601 with offset, decoded to epoch milliseconds. */
export const instant = (description: string) =>
  Schema.optionalKey(Schema.Number.annotate({ format: "date-time", description }))

/** The filters of a list by time. */
export const timeRange = {
  since: instant("At this time or later"),
  until: instant("Before this time")
}

/** The search of a list. */
export const search = (description: string, maxLength = 254) =>
  Schema.optionalKey(Schema.String.annotate({ maxLength, description }))

/** A page of a list. */
export const listOf = <S extends Schema.Top>(item: S) =>
  Schema.Struct({
    items: Schema.Array(item),
    page: Schema.NullOr(Schema.Int).annotateKey({ description: "Null where the request has `after`" }),
    pageSize: Schema.Int,
    next: Schema.NullOr(Schema.String).annotateKey({
      description: "The `after` of the next page; null on the last"
    }),
    totalCount: Schema.Int.annotateKey({
      description: `Exact where the request has \`page\` or \`count=exact\`, and up to ${maxCounted}; else an estimate`
    }),
    totalIsExact: Schema.Boolean
  })
