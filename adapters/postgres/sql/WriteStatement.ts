/**
 * Builds a statement that writes to several tables at once. It contains only the parts that the changes need, so there are
 * few different texts, and each is prepared once.
 *
 * @module
 */
import type { Columns } from "./columns.ts"

/** The columns of the records to write. */
type WrittenColumns<A extends object> = Pick<Columns<A>, "assigned" | "names" | "unnest">

/** The options of an update of records. */
interface UpsertOptions {
  /** Returns the condition, a parameter, under which a field is written. By default all fields are written. */
  readonly flag?: (field: string) => string
  /** The values of fields that are not written. */
  readonly fillers?: Readonly<Record<string, string | null>>
  /** The expression that tells whether a row was as expected. By default, that it existed. */
  readonly found?: string
  /** The columns of the rows of the common table expression `updated`. */
  readonly returning?: string
}

/** Common table expressions and checks. The parameter $1 is the account. */
export class WriteStatement {
  readonly parameters: Array<unknown>
  readonly #parts: Array<string> = []
  readonly #checks: Array<string> = []

  constructor(accountId: string) {
    this.parameters = [accountId]
  }

  /** Adds a parameter and returns its number, for example `$2`. */
  readonly parameter = (value: unknown): string => `$${this.parameters.push(value)}`

  /** Adds a common table expression. */
  readonly part = (name: string, expression: string): void => {
    this.#parts.push(`${name} as (${expression})`)
  }

  /** Rejects the write with `svc_conflict(constraint)` for each row of `from`. */
  check(constraint: string, from: string): void {
    this.#checks.push(`select svc_conflict('${constraint}') from ${from}`)
  }

  /** Rejects the write unless the number of `rows` is the expected one. */
  expect(constraint: string, rows: string, expected: number): void {
    this.check(
      constraint,
      `(select count(*) as rows from ${rows}) u where u.rows <> ${this.parameter(expected)}::int`
    )
  }

  /** An `insert` of records, up to its `from`. */
  insertion<A extends object>(
    table: string,
    columns: WrittenColumns<A>,
    records: ReadonlyArray<A>,
    fillers?: Readonly<Record<string, string | null>>
  ): string {
    const { from, values } = columns.unnest(records, this.parameter, fillers)
    return `insert into ${table} (account_id, ${columns.names}) select $1::uuid, ${values} from ${from}`
  }

  /**
   * Updates the rows of records. Each row must have the version before that of the record. An upsert is used because it locks
   * rows by their key and in one order, which an update with a join need not do.
   */
  update<A extends object>(
    table: string,
    columns: WrittenColumns<A>,
    records: ReadonlyArray<A>,
    { fillers, flag = () => "true", found = "xmax <> 0", returning = "" }: UpsertOptions = {}
  ): void {
    const insertion = this.insertion(`${table} as t`, columns, records, fillers)
    this.part(
      "updated",
      `${insertion} order by id on conflict (account_id, id) do update set ${columns.assigned("t", flag)}
      where t.version = excluded.version - 1 returning ${found} as found${returning}`
    )
    this.expect(`${table}_version`, "updated where found", records.length)
  }

  get text(): string {
    const rest = this.#checks.length > 0 ? this.#checks.join(" union all ") : "select"
    return `with ${this.#parts.join(", ")} ${rest}`
  }
}
