/**
 * Compiles segment definitions to SQL conditions on `contacts c` that select the same contacts as `SegmentEvaluator`.
 *
 * All values of a definition are passed as parameters, and none becomes part of the SQL. Operators, columns and types come
 * from the validated definition.
 *
 * @module
 */
import { consentStatuses } from "../../../core/model/Consent.ts"
import { lastDays } from "../../../core/audience/segments/DayRange.ts"
import type {
  SegmentDefinition,
  SegmentField,
  SegmentRule,
  SegmentTest
} from "../../../core/model/SegmentDefinition.ts"
import {
  deliveredStatuses,
  plainTest,
  spanOf,
  unsentStatuses,
  valueTest
} from "../../../core/audience/segments/SegmentEvaluator.ts"
import { foldCase } from "../../../core/shared/Validate.ts"
import type { Parameters } from "./Parameters.ts"

/** The times that tests count for each contact. */
interface Times {
  readonly table: string
  /** The earliest time that a test concerns. */
  readonly from: number
  /** Selects `contact_id` and `at`, from a given time on. */
  readonly select: (from: number) => string
}

/** Compiles the definitions of one statement. Each gets names of its own. */
export class Compiler {
  readonly #account: string
  readonly #now: number
  readonly #parameters: Parameters
  readonly #within: (contactId: string) => string
  readonly #isShared: boolean
  readonly #joins: Array<string> = []
  /** The joined emails of campaigns, by the campaign's id. */
  readonly #campaigns = new Map<string, string>()
  /** Joined tables, by their content. */
  readonly #tables = new Map<string, string>()
  /** The names of values that are computed once for each contact, by their SQL. */
  readonly #computed = new Map<string, string>()
  /** The counted times, by what is counted. */
  readonly #times = new Map<string, Times>()

  /**
   * @param account the parameter of the account's id, for example `$1`
   * @param now epoch milliseconds
   * @param within a condition on the ids of the contacts that the caller selects, which limits what is read from other tables
   * @param isShared whether the conditions belong to many definitions, on all contacts of the account (`sharedContacts`)
   */
  constructor(
    account: string,
    now: number,
    parameters: Parameters,
    within: (contactId: string) => string = () => "true",
    isShared = false
  ) {
    this.#account = account
    this.#now = now
    this.#parameters = parameters
    this.#within = within
    this.#isShared = isShared
  }

  /** Joins after `contacts c` that the compiled conditions need. None of them adds or removes a row. */
  get joins(): string {
    return this.#joins.join(" ")
  }

  /**
   * The contacts of the account as `c`, without erased ones, with the values that the conditions compiled before need. Values
   * tested by several rules are computed once for each contact, and what several rules count is read once.
   */
  get sharedContacts(): string {
    const values = [...this.#computed].map(([text, name]) => `, ${text} as ${name}`)
    const times = [...this.#times.values()].map(
      ({ from, select, table }) =>
        `left join (
          select contact_id, array_agg(at order by at) as at from (${select(from)}) n group by contact_id
        ) ${table} on ${table}.contact_id = c.id`
    )
    return `(
      select c.*${values.join("")} from contacts c
      where c.account_id = ${this.#account} and c.erased_at is null offset 0
    ) c ${[this.joins, ...times].join(" ")}`
  }

  /**
   * The condition of a definition. It is true for the contacts that the definition selects, and false or null for others. It
   * does not check the account or `erased_at`.
   */
  condition({ join, rules }: SegmentDefinition): string {
    if (rules.length === 0) return "true"
    const conditions = rules.map((rule) => this.#rule(rule))
    return `(${conditions.join(join === "All" ? " and " : " or ")})`
  }

  #rule({ field, test: asked }: SegmentRule): string {
    const { negated, test } = plainTest(asked)
    const condition = this.#condition(field, test)
    return negated ? `(${condition}) is not true` : `(${condition})`
  }

  #condition(field: SegmentField, test: SegmentTest): string {
    switch (field._tag) {
      case "Events":
        return this.#events(field.name, test)
      case "Campaign":
        return this.#campaign(field.campaignId, test)
      case "Campaigns":
        return this.#campaignCount(test)
      default:
        return this.#value(field, test)
    }
  }

  /** The email of a campaign to each contact. There is at most one, so the planner may look it up or read all of them. */
  #campaign(id: string, test: SegmentTest): string {
    if (test.operator === "Converted") {
      return this.#isIn(`select distinct contact_id from conversions
        where account_id = ${this.#account} and campaign_id = ${this.#parameters.add(id, "uuid")} and ${this.#within("contact_id")}`)
    }
    const known = this.#campaigns.get(id)
    const n = known ?? String(this.#joins.length)
    if (known === undefined) {
      this.#campaigns.set(id, n)
      this.#joins.push(`
        left join campaign_recipients r${n} on r${n}.account_id = ${this.#account} and r${n}.contact_id = c.id
          and r${n}.campaign_id = ${this.#parameters.add(id, "uuid")} and r${n}.state = 'Submitted'
        left join deliveries d${n} on d${n}.account_id = ${this.#account} and d${n}.id = r${n}.delivery_id
        left join delivery_visits v${n} on v${n}.account_id = ${this.#account} and v${n}.delivery_id = d${n}.id`)
    }
    switch (test.operator) {
      case "WasDelivered":
        return isDelivered(`d${n}`)
      case "Opened":
      case "Clicked":
        return isVisited(`v${n}`, test.operator)
      case "NotOpened":
        return `${isDelivered(`d${n}`)} and not ${isVisited(`v${n}`, "Opened")}`
      case "NotClicked":
        return `${isDelivered(`d${n}`)} and not ${isVisited(`v${n}`, "Clicked")}`
      default:
        return wasSent(`d${n}`)
    }
  }

  /** Counts emails once for all contacts, from the campaigns that were sending in the time range. */
  #campaignCount(test: SegmentTest): string {
    if (!("count" in test)) return "false"
    const visited =
      test.operator === "SentAtLeast"
        ? ""
        : `join delivery_visits v on v.account_id = d.account_id and v.delivery_id = d.id
          and ${isVisited("v", test.operator === "OpenedAtLeast" ? "Opened" : "Clicked")}`
    return this.#atLeast(test.operator, test, (from, to) => {
      const begin = this.#timestamp(from)
      // All emails of a campaign were decided before its last transition, unless it is still sending.
      return `select r.contact_id, r.decided_at as at from campaigns k
        join campaign_recipients r on r.account_id = k.account_id and r.campaign_id = k.id
        join deliveries d on d.account_id = r.account_id and d.id = r.delivery_id ${visited}
        where k.account_id = ${this.#account} and (k.status in ('Sending', 'Paused') or k.status_at >= ${begin})
          and r.state = 'Submitted' and r.decided_at >= ${begin} and r.decided_at < ${this.#timestamp(to)}
          and ${wasSent("d")} and ${this.#within("r.contact_id")}`
    })
  }

  /** Counts events once for all contacts, because a look-up for each contact would not scale. */
  #events(name: string, test: SegmentTest): string {
    const happened = (conditions: ReadonlyArray<string>) =>
      `select contact_id, occurred_at as at from timeline where ${[
        `account_id = ${this.#account}`,
        `name = ${this.#parameters.add(name, "text")}`,
        this.#within("contact_id"),
        ...conditions
      ].join(" and ")}`
    return test.operator === "HappenedAtLeast"
      ? this.#atLeast(`event ${name}`, test, (from, to) =>
          happened([`occurred_at >= ${this.#timestamp(from)}`, `occurred_at < ${this.#timestamp(to)}`])
        )
      : this.#isIn(`select contact_id from (${happened([])}) n group by contact_id`)
  }

  /** Whether a `select` of distinct `contact_id`s contains the contact. */
  #isIn(select: string): string {
    const table = this.#tables.get(select) ?? `t${this.#joins.length}`
    if (!this.#tables.has(select)) {
      this.#tables.set(select, table)
      this.#joins.push(`left join (${select}) ${table} on ${table}.contact_id = c.id`)
    }
    return `${table}.contact_id is not null`
  }

  /**
   * Whether a contact has at least the number of times that a test requires.
   *
   * @param kind a name for the content of `select`
   * @param select selects `contact_id` and `at` within a time range
   */
  #atLeast(
    kind: string,
    { count, days }: Extract<SegmentTest, { readonly count: number }>,
    select: (from: number, to: number) => string
  ): string {
    const { from, to } = lastDays(days, this.#now)
    if (!this.#isShared) {
      return this.#isIn(
        `select contact_id from (${select(from, to)}) n
        group by contact_id having count(*) >= ${this.#parameters.add(count, "int")}`
      )
    }
    const known = this.#times.get(kind)
    const table = known?.table ?? `n${this.#times.size}`
    this.#times.set(kind, {
      table,
      from: Math.min(from, known?.from ?? from),
      select: (earliest) => select(earliest, to)
    })
    return `${table}.at[cardinality(${table}.at) - ${this.#parameters.add(count - 1, "int")}] >= ${this.#timestamp(from)}`
  }

  #value(
    field: Exclude<SegmentField, { readonly _tag: "Campaign" | "Campaigns" | "Events" }>,
    test: SegmentTest
  ): string {
    switch (field._tag) {
      case "Text":
        return field.column === "consentStatus"
          ? this.#consent(test)
          : this.#text(`c.${columns[field.column]}`, test)
      case "Number":
        return this.#number(`c.${columns[field.column]}`, test)
      case "Boolean":
        return booleanTest(`c.${columns[field.column]}`, test)
      case "Date":
        return this.#date(`c.${columns[field.column]}`, test, (at) => this.#timestamp(at))
      case "Tags":
        return this.#list("c.tags", test)
      case "Topic": {
        const chosen = `(c.topics->${this.#parameters.add(field.topicId, "text")})`
        if (test.operator === "IsSet") return `${chosen} is not null`
        return booleanTest(
          `coalesce(${chosen} = 'true', ${this.#parameters.add(field.defaultOn, "boolean")})`,
          test
        )
      }
      case "Attribute":
        return this.#attribute(field.key, field.type, test)
    }
  }

  #attribute(key: string, type: AttributeType, test: SegmentTest): string {
    const name = this.#parameters.add(key, "text")
    const json = `(c.attributes->${name})`
    const text = `(c.attributes->>${name})`
    switch (type) {
      case "Text":
        return this.#text(text, test)
      case "Number":
        return this.#number(
          this.#once(`(case when jsonb_typeof(${json}) = 'number' then ${json}::numeric end)`),
          test
        )
      case "Boolean":
        return booleanTest(`(${json} = 'true')`, test)
      // Stored in one format, which sorts by time as a string.
      case "Date":
        return this.#date(this.#once(`(${text} || 'T00:00:00.000Z')`), test, (at) => this.#timestampText(at))
      case "DateTime":
        return this.#date(this.#once(text), test, (at) => this.#timestampText(at))
      case "TextList":
        return this.#list(json, test)
    }
  }

  /** There are few statuses, so the matching ones are computed beforehand. */
  #consent(test: SegmentTest): string {
    const meant = consentStatuses.filter(valueTest(test, this.#now))
    return `c.consent_status = any(${this.#parameters.add(meant, "text[]")})`
  }

  #text(value: string, test: SegmentTest): string {
    const folded = this.#once(fold(value))
    if ("texts" in test) return `${folded} in (select unnest(${this.#texts(test.texts)}))`
    if (!("text" in test)) return `${value} <> ''`
    const wanted = this.#parameters.add(foldCase(test.text), "text")
    switch (test.operator) {
      case "Contains":
        return `strpos(${folded}, ${wanted}) > 0`
      case "StartsWith":
        return `starts_with(${folded}, ${wanted})`
      case "EndsWith":
        return `right(${folded}, length(${wanted})) = ${wanted}`
      default:
        return `${folded} = ${wanted}`
    }
  }

  #number(value: string, test: SegmentTest): string {
    if ("number" in test) {
      const sign = signs[test.operator as keyof typeof signs]
      return `${value} ${sign} ${this.#parameters.add(test.number, "numeric")}`
    }
    if (!("from" in test)) return `${value} is not null`
    const from = this.#parameters.add(test.from, "numeric")
    return `${value} between ${from} and ${this.#parameters.add(test.to, "numeric")}`
  }

  #date(value: string, test: SegmentTest, timestamp: (at: number) => string): string {
    if (!("at" in test || "days" in test)) return `${value} is not null`
    const { from, to } = spanOf(test, this.#now)
    const conditions: Array<string> = []
    if (from > -Infinity) conditions.push(`${value} >= ${timestamp(from)}`)
    if (to < Infinity) conditions.push(`${value} < ${timestamp(to)}`)
    return conditions.join(" and ")
  }

  #list(value: string, test: SegmentTest): string {
    if (!("items" in test)) return `${value} <> '[]'`
    // Escapes in the string of a jsonb value are in lower case already.
    const folded = this.#once(`(${fold(`${value}::text`)})::jsonb`)
    return `${folded} ${test.operator === "HasAll" ? "?&" : "?|"} ${this.#texts(test.items)}`
  }

  /** A value of a contact that takes long to compute. */
  #once(text: string): string {
    if (!this.#isShared) return text
    const name = this.#computed.get(text) ?? `computed${this.#computed.size}`
    this.#computed.set(text, name)
    return `c.${name}`
  }

  #texts(texts: ReadonlyArray<string>): string {
    return this.#parameters.add(texts.map(foldCase), "text[]")
  }

  #timestamp(at: number): string {
    return this.#parameters.add(timestampOf(at), "timestamptz")
  }

  #timestampText(at: number): string {
    return `${this.#parameters.add(at > lastTimestamp ? ":" : new Date(at).toISOString(), "text")} collate "C"`
  }
}

const listed = (statuses: ReadonlyArray<string>): string => statuses.map((status) => `'${status}'`).join(", ")

const wasSent = (delivery: string): string => `${delivery}.status not in (${listed(unsentStatuses)})`

const isDelivered = (delivery: string): string => `${delivery}.status in (${listed(deliveredStatuses)})`

/** Whether a visit that was not by a machine opened an email, or clicked a link in it. */
const isVisited = (visits: string, what: "Clicked" | "Opened"): string =>
  `${visits}.reader_${what === "Opened" ? "opened" : "clicked"}_at is not null`

/** The last timestamp with a year of four digits. */
const lastTimestamp = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

/** A time in epoch milliseconds, as a literal that PostgreSQL parses. */
export const timestampOf = (at: number): string =>
  at > lastTimestamp ? "infinity" : new Date(at).toISOString()

type AttributeType = Extract<SegmentField, { readonly _tag: "Attribute" }>["type"]

type Column = Extract<SegmentField, { readonly column: string }>["column"]

const columns: Record<Column, string> = {
  email: "email",
  firstName: "first_name",
  lastName: "last_name",
  phone: "phone",
  city: "city",
  countryCode: "country_code",
  language: "language",
  consentStatus: "consent_status",
  orderCount: "order_count",
  totalSpent: "total_spent",
  isPayingCustomer: "is_paying_customer",
  lastOrderAt: "last_order_at",
  lastOpenAt: "last_open_at",
  lastClickAt: "last_click_at",
  lastEmailedAt: "last_emailed_at",
  addedAt: "added_at"
}

const signs = {
  Equals: "=",
  GreaterThan: ">",
  GreaterOrEqual: ">=",
  LessThan: "<",
  LessOrEqual: "<="
} as const

/** SQL for `foldCase`. On servers before version 17, the collation is ICU's, with which `İ` becomes two code points. */
export const fold = (text: string): string =>
  `replace(lower(replace(${text}, 'İ', 'i') collate "pg_c_utf8"), 'ς', 'σ')`

const booleanTest = (value: string, test: SegmentTest): string => {
  switch (test.operator) {
    case "IsTrue":
      return value
    case "IsFalse":
      return `not ${value}`
    default:
      return `${value} is not null`
  }
}
