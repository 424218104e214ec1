/**
 * Checks and reports the items of a batch, each of which succeeds or fails by itself.
 *
 * @module
 */
import { Result, type Schema } from "effect"
import { issue, Problem, type Issue } from "../../../core/shared/Problem.ts"
import { makeShape } from "./Shape.ts"

/**
 * Makes the check of a batch's item. It returns the item, or validation.type on each field with a wrong type, without a
 * field where the item itself has one (docs/contributing/decisions.md 2).
 */
export const makeItemShape = <S extends Schema.ConstraintDecoder<unknown>>(
  schema: S
): ((item: unknown) => Result.Result<S["Type"], Problem>) => {
  const shape = makeShape(schema)
  return (item) => {
    const shaped = shape(item)
    if (Result.isSuccess(shaped)) return Result.succeed(shaped.success)
    const fields = Object.keys(shaped.failure.errors)
    const issues = fields.map((field) => issue("validation.type", field === "body" ? null : field))
    return Result.fail(Problem.from(issues) ?? Problem.of("validation.type"))
  }
}

/** The result of a written item. */
interface Written<Status> {
  readonly status: Status
  readonly id: string
}

/** The response of a batch: the result of each item, in order, and the counts. */
export const batchResults = <A>(
  results: ReadonlyArray<Result.Result<A, Problem>>,
  show: (written: A) => Written<"Created" | "Updated">
) => {
  const counts = { Created: 0, Updated: 0, Failed: 0 }
  const shown = results.map((result, index) => {
    const { errors, id, status } = Result.isSuccess(result)
      ? { ...show(result.success), errors: null }
      : { status: "Failed" as const, id: null, errors: result.failure.issues.map(errorOf) }
    counts[status]++
    return { index, status, id, errors }
  })
  return { created: counts.Created, updated: counts.Updated, failed: counts.Failed, results: shown }
}

const errorOf = ({ code, field, params }: Issue) => ({ code, field, params })
