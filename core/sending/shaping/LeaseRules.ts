/**
 * Divides the limit of a lane between the processes that use it: pure functions over `SharedLane`.
 *
 * A lease counts until it ends, but its holder stops using it some time before. As long as clocks differ by less than that
 * time, the connections of all processes together never exceed the limit.
 *
 * @module
 */
import {
  currentlyStated,
  type Feedback,
  type LaneBounds,
  type LaneLease,
  type LaneState,
  learned,
  type SharedLane,
  widthAt
} from "../../model/Lane.ts"

/** The duration of a lease, milliseconds, and of a lease in a calm lane, in which no process gets less than it asks for. */
export const leaseMillis = 15_000
export const calmLeaseMillis = 20_000
/** How long before its end a lease is no longer used, milliseconds. The clocks of processes may differ by five seconds. */
export const unusedMillis = 6_000
/** How often leases are renewed, milliseconds. In a calm lane it is every ten seconds. */
export const renewMillis = 5_000
/** How long before its end a lease is renewed, milliseconds. */
export const renewBefore = leaseMillis - renewMillis

/** Feedback that arrived `count` times in a row, last at `at`, epoch milliseconds. */
export interface Received {
  readonly feedback: Feedback
  readonly at: number
  readonly count: number
}

/** A request of a process for places in a lane. */
export interface LeaseRequest {
  readonly node: string
  readonly bounds: LaneBounds
  /** The number of places that it can use. */
  readonly wanted: number
  /** The number of its open connections. */
  readonly open: number
  /** Whether it has nothing to send, and only keeps places that no other process asks for. */
  readonly isIdle?: boolean
  /** The feedback since its last request. */
  readonly received: ReadonlyArray<Received>
}

/** Returns a lane after feedback. */
export const learnedFrom = <State extends LaneState>(
  lane: State,
  received: ReadonlyArray<Received>,
  bounds: LaneBounds
): State => {
  let state = lane
  for (const { at, count, feedback } of received)
    for (let index = 0; index < count; index++) state = learned(state, feedback, bounds, at)
  return state
}

/**
 * The fair share of each process: as many places as it wants. If there are not enough, processes get equal shares, and the
 * remaining places rotate.
 */
export const fairPlaces = (
  requests: ReadonlyArray<Pick<LaneLease, "node" | "wanted">>,
  width: number,
  now: number
): ReadonlyMap<string, number> => {
  const places = new Map<string, number>()
  let left = width
  const byNeed = requests.toSorted((a, b) => a.wanted - b.wanted)
  for (const [index, { node, wanted }] of byNeed.entries()) {
    const others = byNeed.length - index
    if (wanted * others <= left) {
      places.set(node, wanted)
      left -= wanted
      continue
    }
    // All processes that want more get the same number.
    const equal = Math.floor(left / others)
    for (const one of byNeed.slice(index)) places.set(one.node, equal)
    left -= equal * others
    break
  }
  const short = requests
    .filter(({ node, wanted }) => places.get(node)! < wanted)
    .map(({ node }) => node)
    .toSorted()
  const turn = short.length === 0 ? 0 : Math.floor(now / leaseMillis) % short.length
  for (let index = 0; index < Math.min(left, short.length); index++) {
    const node = short[(turn + index) % short.length]!
    places.set(node, places.get(node)! + 1)
  }
  return places
}

/**
 * Returns a lane after a process asked for places: its state with the feedback of the process, and the lease of the process.
 */
export const renewed = (
  lane: SharedLane,
  { bounds, isIdle = false, node, open, received, wanted }: LeaseRequest,
  now: number
): SharedLane => {
  const current = lane.leases.filter(({ expiresAt }) => expiresAt > now)
  const others = current.filter((lease) => lease.node !== node)
  const own = current.find((lease) => lease.node === node)
  const after = learnedFrom(lane, received, bounds)
  const state = { ...after, stated: currentlyStated(after.stated, now) }
  const width = widthAt(state, bounds, now)
  const isCalm = others.reduce((sum, lease) => sum + lease.wanted, wanted) <= width
  if (open === 0 && (wanted === 0 || (isIdle && !isCalm))) return { ...state, leases: others, changedAt: now }
  const free = Math.max(0, width - others.reduce((sum, { places }) => sum + places, 0))
  const fair = fairPlaces([...others, { node, wanted }], width, now).get(node)!
  // Open connections keep their places until they are closed.
  const kept = Math.min(open, own?.places ?? 0)
  const places = Math.max(Math.min(wanted, fair, free), kept)
  return {
    ...state,
    leases: [...others, { node, places, wanted, expiresAt: now + (isCalm ? calmLeaseMillis : leaseMillis) }],
    changedAt: now
  }
}

/**
 * How many connections a process may open or keep in a lane. It is less than its lease if other processes wait for a part of
 * it.
 */
export const placesOf = (lane: SharedLane, node: string, bounds: LaneBounds, now: number): number => {
  const own = lane.leases.find((lease) => lease.node === node)
  if (own === undefined) return 0
  const current = lane.leases.filter(({ expiresAt }) => expiresAt > now)
  return Math.min(own.places, fairPlaces(current, widthAt(lane, bounds, now), now).get(node) ?? 0)
}
