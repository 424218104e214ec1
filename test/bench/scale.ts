/**
 * What a number of emails a day needs, and where more nodes and databases stop helping, by the simulation: the tables of
 * `docs/scale.md`.
 *
 * @module
 */
import { type Costs, keepsUp, mostEmails, nodesNeeded, type Scenario, simulate } from "./simulation.ts"

/** As measured; `docs/scale.md` says when and how. */
export const measuredCosts: Costs = {
  acceptNode: 0.19,
  deliverNode: 2.6,
  acceptDatabase: 0.25,
  deliverDatabase: 0.6,
  claimDatabase: 0.6,
  wakeDatabase: 0.01,
  logBytes: 6_000,
  storedBytes: 3_000
}

/** Machines of 8 processors for nodes and of 16 for databases. */
const machines = {
  seed: 20_260_101,
  nodeProcessors: 8,
  databaseProcessors: 16,
  accounts: 1_000,
  providers: 50,
  perSecondOfAddress: 10
}

const million = 1_000_000
const volumes = [1, 10, 100, 500, 1_000].map((count) => count * million)
/** So many that no provider is what limits. */
const manyAddresses = 1_000_000
const mostDatabases = 64

/** The smallest installation that keeps up with a volume; null where there is none. */
const installationFor = (emailsPerDay: number): Scenario | null => {
  for (let databases = 1; databases <= mostDatabases; databases *= 2) {
    const scenario = { ...machines, emailsPerDay, databases, sendingAddresses: manyAddresses }
    const nodes = nodesNeeded(scenario, measuredCosts)
    if (nodes === null) continue
    let sendingAddresses = 1
    while (!keepsUp(simulate({ ...scenario, nodes, sendingAddresses }, measuredCosts))) sendingAddresses++
    return { ...scenario, nodes, sendingAddresses }
  }
  return null
}

const count = (value: number): string => Math.round(value).toLocaleString("en-US")
const percent = (share: number): string => `${Math.round(100 * share)} %`
const row = (cells: ReadonlyArray<string | number>): string => `| ${cells.join(" | ")} |`

/** A row for each volume: what it needs, and what is then busy. */
export const installationRows = (): ReadonlyArray<string> =>
  volumes.map((emailsPerDay) => {
    const scenario = installationFor(emailsPerDay)
    if (scenario === null) return row([count(emailsPerDay), "none found", "", "", "", "", "", ""])
    const day = simulate(scenario, measuredCosts)
    return row([
      count(emailsPerDay),
      scenario.nodes,
      scenario.databases,
      scenario.sendingAddresses,
      percent(day.nodeLoad),
      percent(day.databaseLoad),
      `${(day.logBytesPerSecond / million).toFixed(1)} MB`,
      `${count(day.storedBytes / (1_000 * million))} GB`
    ])
  })

/** A row for each number of nodes at one database: the most emails a day, of so many times those of one node. */
export const nodeRows = (): ReadonlyArray<string> => {
  const most = (nodes: number) =>
    mostEmails({ ...machines, nodes, databases: 1, sendingAddresses: manyAddresses }, measuredCosts)
  const one = most(1)
  return [1, 2, 4, 8, 16, 32].map((nodes) => {
    const emails = most(nodes)
    return row([nodes, count(emails), percent(emails / (nodes * one))])
  })
}

/** A row for each number of databases, with 64 nodes: the most emails a day, of so many times those of one database. */
export const databaseRows = (): ReadonlyArray<string> => {
  const most = (databases: number, accounts: number) =>
    mostEmails(
      { ...machines, accounts, nodes: 64, databases, sendingAddresses: manyAddresses },
      measuredCosts
    )
  const [few, many] = [most(1, 1_000), most(1, 100_000)]
  return [1, 2, 4, 8].map((databases) => {
    const [ofFew, ofMany] = [most(databases, 1_000), most(databases, 100_000)]
    return row([
      databases,
      count(ofFew),
      percent(ofFew / (databases * few)),
      count(ofMany),
      percent(ofMany / (databases * many))
    ])
  })
}

/** Prints. */
export const benchScale = async (): Promise<void> => {
  for (const rows of [installationRows(), nodeRows(), databaseRows()]) console.log(`${rows.join("\n")}\n`)
}
