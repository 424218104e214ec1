/**
 * What becomes of a delivery's visits when more of them arrive: which are kept, how many there were, and when a reader
 * was first there.
 *
 * @module
 */
import {
  type DeliveryVisits,
  maxVisits,
  type Visit,
  type VisitCounts,
  type VisitVerdict
} from "../../model/Visit.ts"
import type { Machines } from "./Machines.ts"
import { judgeVisit, type VisitedDelivery, type Visitor } from "./VisitRules.ts"

/** A visitor of a delivery. */
export interface DeliveryVisitor extends Visitor {
  /** Whether it counts as an open: of the pixel, or of a link of an email whose opens are tracked. */
  readonly opens: boolean
}

const moved = (counts: VisitCounts, from: VisitVerdict, to: VisitVerdict): VisitCounts => ({
  ...counts,
  [from]: counts[from] - 1,
  [to]: counts[to] + 1
})

const countsOf = ({ kind }: Visit): "opens" | "clicks" => (kind === "Open" ? "opens" : "clicks")

/** When a reader first opened and clicked, by the visits that are kept. */
const readersOf = (visits: ReadonlyArray<Visit>, isOpenTracked: boolean) => {
  const readers = visits.filter(({ verdict }) => verdict !== "Machine")
  const open = readers.find(({ kind }) => isOpenTracked || kind === "Open")
  const click = readers.find(({ kind }) => kind === "Click")
  return { readerOpenedAt: open?.at ?? null, readerClickedAt: click?.at ?? null }
}

const withVisit = (
  before: DeliveryVisits,
  visitor: DeliveryVisitor,
  delivery: VisitedDelivery,
  machines: Machines
): DeliveryVisits => {
  const { earlier, visit } = judgeVisit(visitor, delivery, before.visits, machines)
  const counted = countsOf(visit)
  const after = earlier.reduce<DeliveryVisits>(
    (record, { kind, verdict }, index) => {
      const from = before.visits[index]!.verdict
      if (from === verdict) return record
      const name = kind === "Open" ? "opens" : "clicks"
      return { ...record, [name]: moved(record[name], from, verdict) }
    },
    {
      ...before,
      [counted]: { ...before[counted], [visit.verdict]: before[counted][visit.verdict] + 1 },
      visits: [...earlier, visit].slice(-maxVisits)
    }
  )
  const isRevised = earlier.some(({ verdict }, index) => verdict !== before.visits[index]!.verdict)
  const known = isRevised ? { ...after, ...readersOf([...earlier, visit], visitor.opens) } : after
  if (visit.verdict === "Machine") return known
  return {
    ...known,
    readerOpenedAt: known.readerOpenedAt ?? (visitor.opens ? visit.at : null),
    readerClickedAt: known.readerClickedAt ?? (visit.kind === "Click" ? visit.at : null)
  }
}

/** Adds visits to those of a delivery, in the order they were made. */
export const addVisits = (
  before: DeliveryVisits,
  visitors: ReadonlyArray<DeliveryVisitor>,
  delivery: VisitedDelivery,
  machines: Machines
): DeliveryVisits =>
  visitors
    .toSorted((one, other) => one.at - other.at)
    .reduce((record, visitor) => withVisit(record, visitor, delivery, machines), before)
