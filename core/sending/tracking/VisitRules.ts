/**
 * Classifies visits as made by a person, by a program, or by either. The rules are tried in order, and the first that matches
 * decides. A burst and the trap link also change the verdict on earlier visits, and only to `Machine`.
 *
 * @module
 */
import { deviceOf } from "../../model/Device.ts"
import {
  type AgentClass,
  trapLink,
  type Visit,
  type VisitKind,
  type VisitRule,
  type VisitVerdict
} from "../../model/Visit.ts"
import { type Machines, networkOf, sendsFetchMode } from "./Machines.ts"

/** How far back a visit can change the verdicts on earlier ones, milliseconds. */
export const revisionMillis = 10 * 60_000
const instantMillis = 3_000
const proxyMillis = 30_000
const hostingMillis = 2 * 60_000
const twinMillis = 60_000
const burstMillis = 10_000
const closeBurstMillis = 2_000
const burstLinks = 3

/** A request for a pixel or a link. */
export interface VisitRequest {
  /** Upper case. */
  readonly method: string
  readonly userAgent: string | null
  /** The caller's IP address. */
  readonly address: string
  /** The values of the headers Purpose, Sec-Purpose, X-Purpose and X-Moz. A browser that prefetches sends one of them. */
  readonly purposes: ReadonlyArray<string>
  readonly hasLanguage: boolean
  readonly hasFetchMode: boolean
}

/** A request with its purpose. */
export interface Visitor {
  readonly at: number
  readonly kind: VisitKind
  readonly link: string | null
  /** As `Visit.name`. */
  readonly name?: string | null
  readonly request: VisitRequest
  /** Whether it came over https. A browser then sends more headers. */
  readonly isSecure: boolean
  /** Whether a relay reported the visit and states that a program made it. */
  readonly isReportedMachine?: boolean
}

/** The facts about a delivery that the rules need. */
export interface VisitedDelivery {
  /** When a server accepted it, epoch milliseconds; null before. */
  readonly deliveredAt: number | null
  /** The number of different links in it; null if that is not known. */
  readonly links: number | null
}

/** A visit's classification. */
export interface Judgement {
  readonly visit: Visit
  /** The earlier visits in their order, with verdicts that the visit may have changed. */
  readonly earlier: ReadonlyArray<Visit>
}

interface Facts extends Visitor {
  readonly agent: AgentClass
  readonly network: string | null
  readonly delivery: VisitedDelivery
  readonly earlier: ReadonlyArray<Visit>
  readonly machines: Machines
}

const since = ({ at, delivery }: Facts): number => at - (delivery.deliveredAt ?? at)
const isIn = ({ kind, machines, request }: Facts, purpose: "Scanner" | "AppleProxy" | "Hosting"): boolean =>
  machines.isIn(purpose, kind, request.address)
const isBrowser = (agent: AgentClass): boolean => agent === "Browser" || agent === "OldBrowser"

/** Whether a person's own program may have sent it. */
const isPersonal = (agent: AgentClass): boolean => isBrowser(agent) || agent === "Other"

/** The earlier clicks that came from the visit's network. */
const ofSameNetwork = ({ earlier, network }: Facts): ReadonlyArray<Visit> =>
  earlier.filter((visit) => visit.kind === "Click" && network !== null && visit.network === network)

/**
 * The earlier clicks that form a burst with the visit: more links within seconds than a person follows. Empty if there is no
 * burst.
 */
const burstOf = ({ at, delivery, earlier, link, network }: Facts): ReadonlyArray<Visit> => {
  const clicksWithin = (millis: number) =>
    earlier.filter((visit) => visit.kind === "Click" && visit.link !== trapLink && at - visit.at <= millis)
  const linksOf = (clicks: ReadonlyArray<Visit>) => new Set([link, ...clicks.map((click) => click.link)]).size
  const close = clicksWithin(closeBurstMillis)
  const isClose = linksOf(close) >= (delivery.links === 2 ? 2 : burstLinks)
  const sameNetwork = clicksWithin(burstMillis).filter(
    (visit) => network !== null && visit.network === network
  )
  const isBurst = linksOf(sameNetwork) >= burstLinks
  return [...new Set([...(isClose ? close : []), ...(isBurst ? sameNetwork : [])])]
}

/** The visits to the same link from another network, shortly before, that a person may have made. */
const twinsOf = ({ at, earlier, link, network }: Facts): ReadonlyArray<Visit> =>
  earlier.filter(
    (visit) =>
      visit.kind === "Click" &&
      visit.verdict !== "Machine" &&
      visit.link === link &&
      visit.network !== network &&
      Math.abs(at - visit.at) <= twinMillis
  )

/**
 * Whether the visit, one of two to the same link, is the doubtful one: the one from a data centre, otherwise the one of an old
 * browser, otherwise both.
 */
const isDoubtfulTwin = (facts: Facts, twin: Visit): boolean => {
  const isHosted = isIn(facts, "Hosting")
  const isTwinHosted = twin.network !== null && facts.machines.isIn("Hosting", "Click", twin.network)
  if (isHosted !== isTwinHosted) return isHosted
  const isOld = facts.agent === "OldBrowser"
  return isOld || twin.agent !== "OldBrowser"
}

const rules: ReadonlyArray<{
  readonly id: VisitRule
  readonly on?: VisitKind
  readonly judge: (facts: Facts) => VisitVerdict | null
}> = [
  { id: "relay", judge: ({ isReportedMachine }) => (isReportedMachine === true ? "Machine" : null) },
  { id: "method", judge: ({ request }) => (request.method === "GET" ? null : "Machine") },
  {
    id: "purpose",
    judge: ({ request }) =>
      request.purposes.some((purpose) => /prefetch|prerender|preview/i.test(purpose.slice(0, 200)))
        ? "Machine"
        : null
  },
  {
    id: "early",
    judge: ({ at, delivery }) =>
      delivery.deliveredAt === null || at < delivery.deliveredAt ? "Machine" : null
  },
  {
    id: "trap",
    on: "Click",
    judge: (facts) =>
      facts.link === trapLink || ofSameNetwork(facts).some(({ link }) => link === trapLink) ? "Machine" : null
  },
  {
    id: "agent",
    judge: ({ agent, kind }) =>
      agent === "Machine" || (agent === "None" && kind === "Click") ? "Machine" : null
  },
  { id: "network", judge: (facts) => (isIn(facts, "Scanner") ? "Machine" : null) },
  { id: "burst", on: "Click", judge: (facts) => (burstOf(facts).length === 0 ? null : "Machine") },
  { id: "instant", judge: (facts) => (since(facts) < instantMillis ? "Machine" : null) },
  {
    id: "mpp",
    on: "Open",
    judge: (facts) => (facts.agent === "AppleProxy" || isIn(facts, "AppleProxy") ? "Machine" : null)
  },
  {
    id: "proxy",
    on: "Open",
    judge: (facts) =>
      facts.agent === "GoogleProxy" ? (since(facts) < proxyMillis ? "Unknown" : "Human") : null
  },
  { id: "yahoo", on: "Open", judge: ({ agent }) => (agent === "YahooProxy" ? "Human" : null) },
  {
    id: "hosting",
    on: "Click",
    judge: (facts) =>
      isBrowser(facts.agent) && isIn(facts, "Hosting")
        ? since(facts) < hostingMillis
          ? "Machine"
          : "Unknown"
        : null
  },
  {
    id: "twin",
    on: "Click",
    judge: (facts) => (twinsOf(facts).some((twin) => isDoubtfulTwin(facts, twin)) ? "Unknown" : null)
  },
  {
    id: "headers",
    on: "Click",
    judge: ({ agent, isSecure, request }) =>
      isSecure &&
      isBrowser(agent) &&
      (!request.hasLanguage || (sendsFetchMode(request.userAgent) && !request.hasFetchMode))
        ? "Unknown"
        : null
  },
  { id: "rest", judge: () => "Human" }
]

/**
 * Classifies a visit in the context of the earlier ones of its delivery. Pure, and linear in their number and in the length of
 * the user agent.
 */
export const judgeVisit = (
  visitor: Visitor,
  delivery: VisitedDelivery,
  earlier: ReadonlyArray<Visit>,
  machines: Machines
): Judgement => {
  const { at, kind, link, name = null, request } = visitor
  const facts: Facts = {
    ...visitor,
    agent: machines.classify(request.userAgent, at),
    network: networkOf(request.address),
    delivery,
    earlier: earlier.filter((visit) => Math.abs(at - visit.at) <= revisionMillis),
    machines
  }
  let rule: VisitRule = "rest"
  let verdict: VisitVerdict = "Human"
  for (const { id, judge, on } of rules) {
    const found = on === undefined || on === kind ? judge(facts) : null
    if (found === null) continue
    rule = id
    verdict = found
    break
  }
  // Proxies and programs state a device that is not the person's.
  const device = isPersonal(facts.agent) ? deviceOf(request.userAgent) : null
  const members = new Set(rule === "burst" ? burstOf(facts) : rule === "trap" ? ofSameNetwork(facts) : [])
  return {
    visit: {
      at,
      kind,
      link,
      ...(name === null ? {} : { name }),
      method: request.method,
      network: facts.network,
      agent: facts.agent,
      ...(device === null ? {} : { device }),
      verdict,
      rule
    },
    earlier:
      members.size === 0
        ? earlier
        : earlier.map((visit) =>
            members.has(visit) && visit.verdict !== "Machine" ? { ...visit, verdict: "Machine", rule } : visit
          )
  }
}
