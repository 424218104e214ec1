/**
 * The address and the network of a caller (docs/contributing/decisions.md 2): IP addresses, ranges, and the address that a
 * trusted proxy states.
 *
 * @module
 */

/** An IP address as eight groups of 16 bits; an IPv4 address is its IPv4-mapped form (RFC 4291, 2.5.5.2). */
export type IpAddress = ReadonlyArray<number>

/** A range: the addresses that have the same first `bits` bits as `address`. */
export interface IpRange {
  readonly address: IpAddress
  readonly bits: number
}

/** The origin of a call. */
export interface Origin {
  /** The caller's IP address in its canonical form. */
  readonly address: string
  /** The IPv4 address, or the IPv6 /64, for which limits count. */
  readonly network: string
  /**
   * `None` for a connection that is not trusted; `Forwarded` for an address that a trusted proxy stated; `Proxy` for a trusted
   * proxy itself, to which no per-network limit applies.
   */
  readonly trust: "None" | "Forwarded" | "Proxy"
}

const groupBits = 16
const mappedBits = 96
const mappedPrefix = [0, 0, 0, 0, 0, 0xff_ff]

/** Parses an IPv4 or IPv6 address; null for anything else, such as a zone or an IPv4 part with a leading zero. */
export const parseIp = (text: string): IpAddress | null => {
  if (!text.includes(":")) {
    const last = parseIpv4(text)
    return last === null ? null : [...mappedPrefix, ...last]
  }
  const [head = "", tail, ...more] = text.split("::")
  if (more.length > 0) return null
  const before = parseGroups(head, tail === undefined)
  const after = parseGroups(tail ?? "", true)
  if (before === null || after === null) return null
  const missing = 8 - before.length - after.length
  // A compressed run stands for at least one group.
  if (tail === undefined ? missing !== 0 : missing < 1) return null
  return [...before, ...Array.from({ length: missing }, () => 0), ...after]
}

const parseIpv4 = (text: string): ReadonlyArray<number> | null => {
  const parts = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text)?.slice(1)
  if (parts === undefined || parts.some((part) => Number(part) > 255 || /^0\d/.test(part))) return null
  const [a, b, c, d] = parts.map(Number) as [number, number, number, number]
  return [a * 256 + b, c * 256 + d]
}

/** The groups in a part of an IPv6 address. Only the part at the end of the address may end in an IPv4 address. */
const parseGroups = (text: string, isEnd: boolean): ReadonlyArray<number> | null => {
  if (text === "") return []
  const groups: Array<number> = []
  const parts = text.split(":")
  for (const [index, part] of parts.entries()) {
    if (/^[0-9a-f]{1,4}$/i.test(part)) groups.push(Number.parseInt(part, 16))
    else {
      const last = isEnd && index === parts.length - 1 ? parseIpv4(part) : null
      if (last === null) return null
      groups.push(...last)
    }
  }
  return groups.length > 8 ? null : groups
}

const isIpv4 = (address: IpAddress): boolean => mappedPrefix.every((group, index) => address[index] === group)

/** The canonical text of an address (RFC 5952); an IPv4-mapped address is written as IPv4. */
export const formatIp = (address: IpAddress): string => {
  if (isIpv4(address))
    return address
      .slice(6)
      .flatMap((group) => [group >> 8, group & 255])
      .join(".")
  const text = address.map((group) => group.toString(16)).join(":")
  const [longest] = [...text.matchAll(/(?<![^:])0(?::0)+(?![^:])/g)]
    .map((run) => ({ at: run.index, length: run[0].length }))
    .toSorted((one, other) => other.length - one.length)
  if (longest === undefined) return text
  const { at, length } = longest
  return `${text.slice(0, at).replace(/:$/, "")}::${text.slice(at + length).replace(/^:/, "")}`
}

/** Parses an address or a CIDR range; null for anything else. Bits of the address beyond the prefix are ignored. */
export const parseRange = (text: string): IpRange | null => {
  const [, host = "", prefix] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  const address = parseIp(host)
  if (address === null) return null
  const offset = host.includes(":") ? 0 : mappedBits
  const bits = prefix === undefined ? 128 : offset + Number(prefix)
  return bits > 128 ? null : { address, bits }
}

/** Whether one of the ranges contains the address. */
export const isWithin = (address: IpAddress, ranges: ReadonlyArray<IpRange>): boolean =>
  ranges.some((range) =>
    address.every((group, index) => {
      const bits = Math.min(groupBits, Math.max(0, range.bits - index * groupBits))
      return (group ^ range.address[index]!) >> (groupBits - bits) === 0
    })
  )

/** Whether an address, as a socket reports it, is within the ranges. */
export const isTrusted = (text: string, trusted: ReadonlyArray<IpRange>): boolean => {
  const address = trusted.length === 0 ? null : parseIp(withoutZone(text))
  return address !== null && isWithin(address, trusted)
}

const privateRanges = [
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.168.0.0/16",
  "::1",
  "fc00::/7",
  "fe80::/10"
].map((text) => parseRange(text)!)

/** Whether an address belongs to the machine itself or to a private network, as a reverse proxy's usually does. */
export const isLocal = (text: string): boolean => {
  const address = parseIp(withoutZone(text))
  return address !== null && isWithin(address, privateRanges)
}

/** Removes the zone, which names an interface of this machine (RFC 4007, 11). */
const withoutZone = (text: string): string => text.replace(/%.*$/s, "")

const networkOfIp = (address: IpAddress): string =>
  isIpv4(address) ? formatIp(address) : `${formatIp([...address.slice(0, 4), 0, 0, 0, 0])}/64`

/**
 * The network of an address, as a socket reports it: the IPv4 address, even if it is IPv4-mapped, or the IPv6 /64. Anything else
 * is its own network.
 */
export const networkOf = (text: string): string => {
  // Most are IPv4 addresses, which sockets write in canonical form.
  if (!text.includes(":")) return text
  const address = parseIp(withoutZone(text))
  return address === null ? text : networkOfIp(address)
}

/**
 * Parses an element of X-Forwarded-For: an address, optionally in brackets, with a port, and quoted as RFC 7239 (section 6)
 * requires for IPv6 addresses. A zone would name an interface of the proxy.
 */
const parseForwarded = (text: string): IpAddress | null => {
  const node = /^"([^"]*)"$/.exec(text)?.[1]?.trim() ?? text
  const [, bracketed, withPort] = /^(?:\[([^\]]+)\](?::\d{1,5})?|([^:]+):\d{1,5})$/.exec(node) ?? []
  return parseIp(withoutZone(bracketed ?? withPort ?? node))
}

/**
 * The origin of a call: the address of the connection or, if that is trusted, the right-most address in X-Forwarded-For that is
 * not. An element that is not an address ends the search at the proxy that wrote it, since no trusted party checked anything to
 * the left of it.
 *
 * @param connection the address of the connection, as a socket reports it
 * @param forwarded the value of X-Forwarded-For, with several fields joined by commas; null without one
 */
export const originOf = (
  connection: string,
  forwarded: string | null,
  trusted: ReadonlyArray<IpRange>
): Origin => {
  const direct = { address: connection, network: networkOf(connection), trust: "None" } as const
  const ip = trusted.length === 0 && !connection.includes(":") ? null : parseIp(withoutZone(connection))
  if (ip === null) return direct
  if (!isWithin(ip, trusted)) return { ...direct, address: formatIp(ip) }
  let nearest = ip
  for (const element of (forwarded ?? "").split(",").toReversed()) {
    const text = element.trim()
    if (text === "") continue
    const found = parseForwarded(text)
    if (found === null) break
    nearest = found
    if (!isWithin(found, trusted)) {
      return { address: formatIp(found), network: networkOfIp(found), trust: "Forwarded" }
    }
  }
  return { address: formatIp(nearest), network: networkOfIp(nearest), trust: "Proxy" }
}

/** Whether a URL's host is a loopback address (RFC 1122, 3.2.1.3; RFC 4291, 2.5.3) or a name for one (RFC 6761, 6.3). */
export const isLoopbackUrl = (url: string): boolean => {
  let hostname: string
  try {
    // The URL standard normalizes every form of an IPv4 address to four decimal numbers, and names to lower case.
    hostname = new URL(url).hostname
  } catch {
    return false
  }
  const name = hostname.endsWith(".") ? hostname.slice(0, -1) : hostname
  return (
    name === "localhost" || name.endsWith(".localhost") || name === "[::1]" || /^127(\.\d+){3}$/.test(name)
  )
}

/**
 * The origin of an http or https URL, such as `https://mail.example.com`, without a trailing slash. Null for any other URL, and
 * for one with a path, a query, a fragment or a user, since the service's links and cookies need a host of their own.
 */
export const parseOrigin = (text: string): string | null => {
  // Rejects what URL parsers tolerate: extra slashes, backslashes, spaces.
  if (!/^https?:\/\/[^/\\?#@\s]+\/?$/i.test(text)) return null
  return URL.parse(text)?.origin ?? null
}
