/**
 * A simulated day of an installation of nodes, databases and providers, from the measured costs of one email: how many of each
 * a volume needs, and where more of them stop helping. It needs no service, and a seed always gives the same day.
 *
 * @module
 */

/** What one email costs. Times are milliseconds of one processor. */
export interface Costs {
  /** A node, to accept it in a call (`npm run bench -- api`). */
  readonly acceptNode: number
  /** A node, to build, sign and hand it over (`npm run bench -- sending`). */
  readonly deliverNode: number
  /** The database, to store it, of calls that are written together (`npm run bench -- demand`). */
  readonly acceptDatabase: number
  /** The database, to claim it, commit it and record its result, in full batches (`npm run bench -- demand`). */
  readonly deliverDatabase: number
  /** The database, for a claim of any number of jobs, and for its transaction. */
  readonly claimDatabase: number
  /** The database, to wake one listening process, for each commit. */
  readonly wakeDatabase: number
  /** Bytes of the write-ahead log, and bytes that stay. */
  readonly logBytes: number
  readonly storedBytes: number
}

/** An installation and its day. */
export interface Scenario {
  readonly seed: number
  readonly emailsPerDay: number
  /** Nodes that accept and deliver, and the processors of each. */
  readonly nodes: number
  readonly nodeProcessors: number
  /** Databases, each with the accounts of its share, and the processors of each. */
  readonly databases: number
  readonly databaseProcessors: number
  /** The accounts; the volume of the k-th is a share proportional to 1/k. */
  readonly accounts: number
  /** Mail providers; the k-th has a share of the recipients proportional to 1/k. */
  readonly providers: number
  /** Sending addresses, and how many emails a second a provider takes from each. */
  readonly sendingAddresses: number
  readonly perSecondOfAddress: number
}

/** What became of the day. */
export interface Day {
  /** The share of the emails that left within the day. */
  readonly delivered: number
  /** How long an email waited, seconds: the median and the 99th percentile. */
  readonly p50: number
  readonly p99: number
  /** The busiest node, database and provider of the busiest half minute: the share of what it can do that was asked of it. */
  readonly nodeLoad: number
  readonly databaseLoad: number
  readonly providerLoad: number
  /** The share of the database's work that is claims and wake-ups. */
  readonly overhead: number
  /** Bytes a second of the write-ahead log at the busiest time, of the busiest database, and bytes stored that day, of all. */
  readonly logBytesPerSecond: number
  readonly storedBytes: number
}

const stepSeconds = 30
const steps = 86_400 / stepSeconds
/** The share of a processor that is planned with: the rest is for bursts within a step, vacuum and backups. */
const usable = 0.7
/** The most jobs of a claim, and how often a node looks for jobs at each database at most, a second. */
const claimSize = 100
const claimsPerSecond = 20
/** Emails that are written in one transaction, and so wake listeners once. */
const commitSize = 16
/** Calls arrive in a wave of the day, and campaigns on top: each within four hours. */
const waveHeight = 0.6
const campaignShare = 0.3
const campaignSeconds = 4 * 3_600

/** Random numbers from 0 to below 1 (mulberry32). */
const randomOf = (seed: number) => {
  let state = seed >>> 0
  return (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** Shares proportional to 1/k, which add up to 1. */
const sharesOf = (count: number): ReadonlyArray<number> => {
  const weights = Array.from({ length: count }, (_, index) => 1 / (index + 1))
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  return weights.map((weight) => weight / total)
}

const sum = (values: ReadonlyArray<number>): number => values.reduce((total, value) => total + value, 0)

/** Emails by how many whole seconds they waited, the last for all that waited longer. */
const makeWaits = () => {
  const emails = new Float64Array(86_401)
  let total = 0
  return {
    add: (seconds: number, count: number): void => {
      emails[Math.min(86_400, Math.ceil(seconds))]! += count
      total += count
    },
    /** The wait below which that share of them stayed. */
    quantile: (share: number): number => {
      let passed = 0
      const found = emails.findIndex((count) => (passed += count) >= share * total)
      return Math.max(0, found)
    }
  }
}

/** Simulates a day. */
export const simulate = (scenario: Scenario, costs: Costs): Day => {
  const { accounts, databases, emailsPerDay, nodes, providers } = scenario
  const random = randomOf(scenario.seed)
  // An account is on one database, chosen without regard to its volume.
  const volumes = sharesOf(accounts)
  const databaseShares = Array.from({ length: databases }, () => 0)
  const homes = volumes.map((share) => {
    const home = Math.floor(random() * databases)
    databaseShares[home]! += share
    return home
  })
  const providerShares = sharesOf(providers)

  // Emails of each step and database: the wave of calls, then campaigns of random accounts at random times.
  const arrivals = Array.from({ length: steps }, (_, step) => {
    const wave = 1 + waveHeight * Math.sin((2 * Math.PI * step) / steps - Math.PI / 2)
    return databaseShares.map((share) => ((1 - campaignShare) * emailsPerDay * share * wave) / steps)
  })
  for (const [account, share] of volumes.entries()) {
    const length = campaignSeconds / stepSeconds
    const begin = Math.floor(random() * (steps - length))
    for (let step = begin; step < begin + length; step++) {
      arrivals[step]![homes[account]!]! += (campaignShare * emailsPerDay * share) / length
    }
  }

  const nodeBudget = nodes * scenario.nodeProcessors * usable * 1_000 * stepSeconds
  const databaseBudget = scenario.databaseProcessors * usable * 1_000 * stepSeconds
  const providerBudget = scenario.sendingAddresses * scenario.perSecondOfAddress * stepSeconds
  const backlog = databaseShares.map(() => providerShares.map(() => 0))
  const waits = makeWaits()
  let left = 0
  let overheadWork = 0
  let databaseWork = 0
  const most = { node: 0, database: 0, provider: 0, log: 0 }

  for (const arriving of arrivals) {
    const arrivedInAll = sum(arriving)
    const providerLeft = providerShares.map(() => providerBudget)
    let nodeLeft = nodeBudget - arrivedInAll * costs.acceptNode
    for (const [database, arrived] of arriving.entries()) {
      const queue = backlog[database]!
      for (const [provider, share] of providerShares.entries()) queue[provider]! += arrived * share
      const waiting = sum(queue)
      // A thin stream is claimed in small batches: each node looks as often as there is anything.
      const claims = Math.min(
        nodes * claimsPerSecond * stepSeconds,
        Math.max(waiting / claimSize, Math.min(waiting, nodes))
      )
      const overhead = claims * costs.claimDatabase + (arrived / commitSize) * nodes * costs.wakeDatabase
      const accepting = arrived * costs.acceptDatabase
      const room = Math.max(0, databaseBudget - overhead - accepting) / costs.deliverDatabase
      // The databases share what is left of the nodes.
      const turn = Math.max(0, nodeLeft) / costs.deliverNode / (databases - database)
      const wanted = queue.map((emails, provider) => Math.min(emails, providerLeft[provider]!))
      const granted = Math.min(1, Math.min(room, turn) / Math.max(1e-9, sum(wanted)))
      for (const [provider, emails] of wanted.entries()) {
        const sent = emails * granted
        queue[provider]! -= sent
        providerLeft[provider]! -= sent
        nodeLeft -= sent * costs.deliverNode
        left += sent
        // What is left behind waits as long as it takes to send it at this rate.
        if (sent > 0) waits.add((queue[provider]! / sent) * stepSeconds, sent)
      }
      const asked = overhead + accepting + arrived * costs.deliverDatabase
      overheadWork += overhead
      databaseWork += asked
      most.database = Math.max(most.database, asked / databaseBudget)
      most.log = Math.max(most.log, (arrived * costs.logBytes) / stepSeconds)
    }
    const nodeAsked = arrivedInAll * (costs.acceptNode + costs.deliverNode)
    most.node = Math.max(most.node, nodeAsked / nodeBudget)
    most.provider = Math.max(most.provider, (arrivedInAll * providerShares[0]!) / providerBudget)
  }
  return {
    delivered: left / emailsPerDay,
    p50: waits.quantile(0.5),
    p99: waits.quantile(0.99),
    nodeLoad: most.node,
    databaseLoad: most.database,
    providerLoad: most.provider,
    overhead: overheadWork / Math.max(1, databaseWork),
    logBytesPerSecond: most.log,
    storedBytes: emailsPerDay * costs.storedBytes
  }
}

/** The longest that one email of a hundred may wait, seconds. */
export const longestWait = 60

/** Whether an installation keeps up. */
export const keepsUp = ({ delivered, p99 }: Day): boolean => delivered > 0.999 && p99 <= longestWait

const mostNodes = 256

/** The fewest nodes that keep up; null where no number does. */
export const nodesNeeded = (scenario: Omit<Scenario, "nodes">, costs: Costs): number | null => {
  const enough = (nodes: number) => keepsUp(simulate({ ...scenario, nodes }, costs))
  let [low, high] = [0, 1]
  while (high <= mostNodes && !enough(high)) [low, high] = [high, high * 2]
  if (high > mostNodes) return null
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (enough(middle)) high = middle
    else low = middle
  }
  return high
}

/** The most emails a day with which an installation keeps up, to within two percent. */
export const mostEmails = (scenario: Omit<Scenario, "emailsPerDay">, costs: Costs): number => {
  const enough = (emailsPerDay: number) => keepsUp(simulate({ ...scenario, emailsPerDay }, costs))
  let [low, high] = [0, 1_000_000]
  while (enough(high)) [low, high] = [high, high * 2]
  while (high - low > high / 50) {
    const middle = (low + high) / 2
    if (enough(middle)) low = middle
    else high = middle
  }
  return low
}
