/**
 * Updates the record of a delivery's visits when more visits arrive: the stored visits, the counts, and the times at which a
 * reader visited.
 *
 * @module
 */
import {
  type DeliveryVisits,
  furtherLinks,
  type LinkClicks,
  maxCountedLinks,
  maxVisits,
  noVisitCounts,
  trapLink,
  type Visit,
  type VisitCounts,
  type VisitRule,
  type VisitVerdict
} from "../../model/Visit.ts"
import type { Machines } from "./Machines.ts"
import { judgeVisit, type VisitedDelivery, type Visitor } from "./VisitRules.ts"

/** A visitor of a delivery. */
export interface DeliveryVisitor extends Visitor {
  /** Whether it counts as an open: a visit of the pixel, or of a link in an email whose opens are tracked. */
  readonly opens: boolean
}

const moved = (counts: VisitCounts, from: VisitVerdict, to: VisitVerdict): VisitCounts => ({
  ...counts,
  [from]: counts[from] - 1,
  [to]: counts[to] + 1
})

const added = (counts: VisitCounts, verdict: VisitVerdict): VisitCounts => ({
  ...counts,
  [verdict]: counts[verdict] + 1
})

/** The name under which the clicks of a link are counted; null for a visit to no link of the email. */
const linkName = (links: DeliveryVisits["links"], { kind, link, name }: Visit): string | null => {
  if (kind !== "Click" || link === null || link === trapLink) return null
  const own = name ?? link
  return Object.hasOwn(links, own) || Object.keys(links).length < maxCountedLinks ? own : furtherLinks
}

const withLink = (links: DeliveryVisits["links"], visit: Visit): DeliveryVisits["links"] => {
  const name = linkName(links, visit)
  if (name === null) return links
  const { at, verdict } = visit
  const known: LinkClicks = links[name] ?? { clicks: noVisitCounts, firstAt: at, lastAt: at }
  return {
    ...links,
    [name]: {
      clicks: added(known.clicks, verdict),
      firstAt: Math.min(known.firstAt, at),
      lastAt: Math.max(known.lastAt, at)
    }
  }
}

const counted = (record: DeliveryVisits, visit: Visit): DeliveryVisits =>
  visit.kind === "Open"
    ? { ...record, opens: added(record.opens, visit.verdict) }
    : {
        ...record,
        clicks: added(record.clicks, visit.verdict),
        links: withLink(record.links, visit)
      }

const isReader = ({ verdict }: Visit): boolean => verdict !== "Machine"

/** The open that a person's click implies if images were not loaded, or if a program loaded them. */
const openOf = ({ name: _name, ...click }: Visit): Visit => ({
  ...click,
  kind: "Open",
  link: null,
  rule: "click"
})

/** Revises the opens that clicks implied, if those clicks have become a machine's. Each open gets the rule of its click. */
const withOpensRevised = (
  visits: ReadonlyArray<Visit>,
  revised: ReadonlyMap<number, VisitRule>
): ReadonlyArray<Visit> =>
  visits.map((visit) => {
    const rule = revised.get(visit.at)
    return visit.rule === "click" && rule !== undefined && isReader(visit)
      ? { ...visit, verdict: "Machine", rule }
      : visit
  })

/** Revises a record after some of its visits became a machine's, so that it agrees with the visits. */
const revise = (
  before: DeliveryVisits,
  visits: ReadonlyArray<Visit>,
  isOpenTracked: boolean
): DeliveryVisits => {
  let { clicks, opens } = before
  const links: Record<string, LinkClicks> = { ...before.links }
  const gone = new Set<number>()
  for (const [index, visit] of visits.entries()) {
    const { verdict } = before.visits[index]!
    if (verdict === visit.verdict) continue
    gone.add(visit.at)
    if (visit.kind === "Open") {
      opens = moved(opens, verdict, visit.verdict)
      continue
    }
    clicks = moved(clicks, verdict, visit.verdict)
    const name = linkName(links, visit)
    // Clicks from before links were counted are not included.
    const known = name === null ? undefined : links[name]
    if (known !== undefined && known.clicks[verdict] > 0) {
      links[name!] = { ...known, clicks: moved(known.clicks, verdict, visit.verdict) }
    }
  }
  if (gone.size === 0) return before
  const readers = visits.filter(isReader)
  const clickTimes = new Set(readers.flatMap(({ at, kind }) => (kind === "Click" ? [at] : [])))
  // The time of a visit that is no longer stored does not change.
  const isGone = (at: number | null): boolean => at !== null && gone.has(at)
  const opened = readers.find(({ kind }) => isOpenTracked || kind === "Open")
  return {
    ...before,
    visits,
    opens,
    clicks,
    links,
    readerOpenedAt: isGone(before.readerOpenedAt) ? (opened?.at ?? null) : before.readerOpenedAt,
    readerClickedAt: isGone(before.readerClickedAt)
      ? (readers.find(({ kind }) => kind === "Click")?.at ?? null)
      : before.readerClickedAt,
    readerClicks: before.readerClicks.filter((at) => !gone.has(at) || clickTimes.has(at))
  }
}

/** Adds a visit, however many are stored. */
const withVisit = (
  before: DeliveryVisits,
  visitor: DeliveryVisitor,
  delivery: VisitedDelivery,
  machines: Machines
): DeliveryVisits => {
  const { opens: isOpen } = visitor
  const { earlier, visit } = judgeVisit(visitor, delivery, before.visits, machines)
  const revised = earlier.flatMap(({ at, rule, verdict }, index) =>
    verdict === before.visits[index]!.verdict ? [] : [[at, rule] as const]
  )
  const known = revise(before, withOpensRevised(earlier, new Map(revised)), isOpen)
  const isClick = visit.kind === "Click"
  const isReaders = isReader(visit)
  const all = [visit]
  if (isClick && isOpen && visit.verdict === "Human" && known.opens.Human === 0) all.push(openOf(visit))
  return {
    ...all.reduce(counted, known),
    visits: [...known.visits, ...all],
    firstOpenedAt: known.firstOpenedAt ?? (isOpen ? visit.at : null),
    firstClickedAt: known.firstClickedAt ?? (isClick ? visit.at : null),
    readerOpenedAt: known.readerOpenedAt ?? (isReaders && isOpen ? visit.at : null),
    readerClickedAt: known.readerClickedAt ?? (isReaders && isClick ? visit.at : null),
    readerClicks: isReaders && isClick ? [...known.readerClicks, visit.at] : known.readerClicks
  }
}

/** Adds visits to those of a delivery, in the order in which they were made. */
export const addVisits = (
  before: DeliveryVisits,
  visitors: ReadonlyArray<DeliveryVisitor>,
  delivery: VisitedDelivery,
  machines: Machines
): DeliveryVisits => {
  const after = visitors
    .toSorted((one, other) => one.at - other.at)
    .reduce((record, visitor) => withVisit(record, visitor, delivery, machines), before)
  return {
    ...after,
    visits: after.visits.slice(-maxVisits),
    readerClicks: after.readerClicks.toSorted((one, other) => one - other).slice(-maxVisits)
  }
}
