/**
 * Parses which processes a supervisor runs, and what each of them does.
 *
 * @module
 */
import { availableParallelism } from "node:os"

/** Processes with the same roles. */
export interface ProcessGroup {
  readonly count: number
  /** The value of SVC_ROLES for each process; null for that of the supervisor. */
  readonly roles: string | null
}

/** The plan of a process without a supervisor. */
export const singlePlan: ReadonlyArray<ProcessGroup> = [{ count: 1, roles: null }]

/** The maximum number of processes of a supervisor. */
export const maxProcesses = 64

/** The description of valid values of the variable. */
export const expectedPlan = `auto, a number from 1 to ${maxProcesses}, or a list such as 2 api, 1 worker, 1 smtp`

const groupPattern = /^(\d{1,2}) +((?:api|smtp|worker)(?:\+(?:api|smtp|worker))*)$/

/**
 * Parses SVC_PROCESSES: `auto` for one process per processor, a number, or counts with roles (`2 api, 1 smtp+worker`). Returns
 * undefined for any other value, for no processes, and for more than {@link maxProcesses}.
 */
export const parsePlan = (value: string): ReadonlyArray<ProcessGroup> | undefined => {
  if (value === "auto") return [{ count: Math.min(maxProcesses, availableParallelism()), roles: null }]
  const groups = /^\d{1,2}$/.test(value)
    ? [{ count: Number(value), roles: null }]
    : value.split(",").map((part) => {
        const [, count = "0", roles = ""] = groupPattern.exec(part.trim()) ?? []
        return { count: Number(count), roles: [...new Set(roles.split("+"))].join(",") }
      })
  const total = groups.reduce((sum, { count }) => sum + count, 0)
  return groups.every(({ count }) => count > 0) && total <= maxProcesses ? groups : undefined
}

/** Whether a plan is that of a process without a supervisor. */
export const isSingle = ([first, ...more]: ReadonlyArray<ProcessGroup>): boolean =>
  more.length === 0 && first?.count === 1 && first.roles === null
