/**
 * Simulates a day of an installation of nodes, databases and providers from the measured costs of an email: how many of each a
 * volume needs, and where more of them stop helping. It needs no service, and a seed always gives the same day.
 *
 * @module
 */

/** The costs of one email. Times are in milliseconds of one CPU. */
export interface Costs {
  /** Time of a node to accept it in a call (`npm run bench -- api`). */
  readonly acceptNode: number
  /** Time of a node to compose, sign and transmit it (`npm run bench -- sending`). */
  readonly deliverNode: number
  /** Time of the database to store it, if calls are committed in groups (`npm run bench -- demand`). */
  readonly acceptDatabase: number
  /** Time of the database to claim it, commit it and record its result, in full batches (`npm run bench -- demand`). */
  readonly deliverDatabase: number
  /** Time of the database for a claim of any size, with its transaction. */
  readonly claimDatabase: number
  /** Time of the database per commit to wake one listening process. */
  readonly wakeDatabase: number
  /** Bytes of WAL, and bytes stored permanently. */
  readonly logBytes: number
  readonly storedBytes: number
}

/** An installation and its load. */
export interface Scenario {
  readonly seed: number
  readonly emailsPerDay: number
  /** The number of nodes, which accept and deliver, and the CPUs of each. */
  readonly nodes: number
  readonly nodeProcessors: number
  /** The number of databases, among which the accounts are divided, and the CPUs of each. */
  readonly databases: number
  readonly databaseProcessors: number
  /** The number of accounts. The volume of the k-th is proportional to 1/k. */
  readonly accounts: number
  /** The number of mail providers. The share of recipients at the k-th is proportional to 1/k. */
  readonly providers: number
  /** The number of sending addresses, and how many emails per second a provider accepts from each. */
  readonly sendingAddresses: number
  readonly perSecondOfAddress: number
}

/** The results of the day. */
export interface Day {
  /** The share of emails that were sent within the day. */
  readonly delivered: number
  /** How long an email waited, in seconds: the median and the 99th percentile. */
  readonly p50: number
  readonly p99: number
  /** The load of the busiest node, database and provider in the busiest half minute, as a share of capacity. */
  readonly nodeLoad: number
  readonly databaseLoad: number
  readonly providerLoad: number
  /** The share of the databases' work spent on claims and wake-ups. */
  readonly overhead: number
  /** Bytes of WAL per second of the busiest database at the busiest time, and bytes stored by all during the day. */
  readonly logBytesPerSecond: number
  readonly storedBytes: number
}

const stepSeconds = 30
const steps = 86_400 / stepSeconds
/** The share of a CPU that is planned for. The rest is for bursts within a step, vacuum and backups. */
const usable = 0.7
/** The most jobs of a claim, and the most claims per second that a node makes at each database. */
const claimSize = 100
const claimsPerSecond = 20
/** The number of emails written in one transaction, which wakes listeners once. */
const commitSize = 16
/** Calls arrive in a daily wave, with campaigns on top, each spread over four hours. */
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

/** Shares proportional to 1/k with the sum 1. */
const sharesOf = (count: number): ReadonlyArray<number> => {
  const weights = Array.from({ length: count }, (_, index) => 1 / (index + 1))
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  return weights.map((weight) => weight / total)
}

const sum = (values: ReadonlyArray<number>): number => values.reduce((total, value) => total + value, 0)

/** Counts emails by the whole seconds that they waited. The last count is for all longer waits. */
const makeWaits = () => {
  const emails = new Float64Array(86_401)
  let total = 0
  return {
    add: (seconds: number, count: number): void => {
      emails[Math.min(86_400, Math.ceil(seconds))]! += count
      total += count
    },
    /** The wait that a given share of emails did not exceed. */
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
  // An account is on one database, chosen regardless of its volume.
  const volumes = sharesOf(accounts)
  const databaseShares = Array.from({ length: databases }, () => 0)
  const homes = volumes.map((share) => {
    const home = Math.floor(random() * databases)
    databaseShares[home]! += share
    return home
  })
  const providerShares = sharesOf(providers)

  // The emails of each step and database: the wave of calls, then campaigns of random accounts at random times.
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
      // A low rate is claimed in small batches, because each node claims whenever there is anything.
      const claims = Math.min(
        nodes * claimsPerSecond * stepSeconds,
        Math.max(waiting / claimSize, Math.min(waiting, nodes))
      )
      const overhead = claims * costs.claimDatabase + (arrived / commitSize) * nodes * costs.wakeDatabase
      const accepting = arrived * costs.acceptDatabase
      const room = Math.max(0, databaseBudget - overhead - accepting) / costs.deliverDatabase
      // The databases share the remaining capacity of the nodes.
      const turn = Math.max(0, nodeLeft) / costs.deliverNode / (databases - database)
      const wanted = queue.map((emails, provider) => Math.min(emails, providerLeft[provider]!))
      const granted = Math.min(1, Math.min(room, turn) / Math.max(1e-9, sum(wanted)))
      for (const [provider, emails] of wanted.entries()) {
        const sent = emails * granted
        queue[provider]! -= sent
        providerLeft[provider]! -= sent
        nodeLeft -= sent * costs.deliverNode
        left += sent
        // The rest waits as long as it takes to send it at this rate.
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

/** The longest wait allowed at the 99th percentile, in seconds. */
export const longestWait = 60

/** Whether an installation keeps up. */
export const keepsUp = ({ delivered, p99 }: Day): boolean => delivered > 0.999 && p99 <= longestWait

const mostNodes = 256

/** The fewest nodes that keep up; null if no number does. */
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

/** The most emails per day with which an installation keeps up, with a precision of two per cent. */
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
