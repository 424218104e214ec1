/**
 * Recognises URLs that lead to the machine they are opened on.
 *
 * @module
 */

/** Whether a URL's host is a loopback address (RFC 1122, 3.2.1.3; RFC 4291, 2.5.3) or a name for one (RFC 6761, 6.3). */
export const isLoopbackUrl = (url: string): boolean => {
  let hostname: string
  try {
    // The URL standard writes every form of an IPv4 address in four decimal numbers, and names in lower case.
    hostname = new URL(url).hostname
  } catch {
    return false
  }
  const name = hostname.endsWith(".") ? hostname.slice(0, -1) : hostname
  return (
    name === "localhost" || name.endsWith(".localhost") || name === "[::1]" || /^127(\.\d+){3}$/.test(name)
  )
}
