/**
 * The published list of programs that request pixels and links: user agents and networks. `SVC_MACHINE_FILE` adds entries of
 * the same form (docs/tracking.md "Your own entries").
 *
 * @module
 */
import type { VisitKind } from "../../model/Visit.ts"

/** A user agent of a program. */
export interface AgentEntry {
  /** Compared case-insensitively. */
  readonly text: string
  /** Whether the user agent must start with the text, rather than contain it. */
  readonly isStart: boolean
  readonly source: string
}

/**
 * The purpose of a network: `Scanner` for one that only scans email, `AppleProxy` for the image proxies of Apple Mail,
 * `Hosting` for a data centre, where scanners, VPNs and remote desktops run.
 */
export const networkPurposes = ["Scanner", "AppleProxy", "Hosting"] as const
export type NetworkPurpose = (typeof networkPurposes)[number]

/** A network of programs. */
export interface NetworkEntry {
  /** An address or a CIDR range. */
  readonly network: string
  readonly purpose: NetworkPurpose
  /** The kinds of visits for which it is known. */
  readonly on: ReadonlyArray<VisitKind>
  readonly source: string
}

/** User agents and networks of programs. */
export interface MachineList {
  readonly userAgents: ReadonlyArray<AgentEntry>
  readonly networks: ReadonlyArray<NetworkEntry>
}

const agents = (source: string, texts: ReadonlyArray<string>, isStart = false): ReadonlyArray<AgentEntry> =>
  texts.map((text) => ({ text, isStart, source }))

const networks = (
  purpose: NetworkPurpose,
  on: ReadonlyArray<VisitKind>,
  source: string,
  ranges: ReadonlyArray<string>
): ReadonlyArray<NetworkEntry> => ranges.map((network) => ({ network, purpose, on, source }))

const crawlers = "https://github.com/monperrus/crawler-user-agents"

/**
 * The published list. The ranges of data centres are parts of the named lists, checked in August 2026 against their copies in
 * https://github.com/lord-alfred/ipranges. A user agent that contains the word `bot` needs no entry.
 */
export const machineList: MachineList = {
  userAgents: [
    ...agents(crawlers, ["crawler", "spider", "slurp", "headlesschrome", "phantomjs", "lighthouse"]),
    ...agents(crawlers, ["facebookexternalhit", "facebookcatalog", "meta-externalfetcher", "whatsapp/"]),
    ...agents(crawlers, [
      "skypeuripreview",
      "bingpreview",
      "linkpreview",
      "vkshare",
      "pinterest/",
      "yandex.com/bots"
    ]),
    ...agents(crawlers, ["embedly", "iframely", "google-safety", "google-read-aloud", "google-pagerenderer"]),
    ...agents(crawlers, ["virustotal", "urlscan", "phishtank", "netcraft", "censys", "expanse", "pagespeed"]),
    ...agents(crawlers, ["gtmetrix", "uptime", "pingdom", "statuscake", "site24x7", "(cmlinkcheck)"]),
    ...agents("https://stackoverflow.com/questions/63184772/gmail-following-links-gmail-content-sampling", [
      "gmail-content-sampling"
    ]),
    ...agents("https://github.com/mautic/mautic/issues/16263", [
      "barracuda",
      "proofpoint",
      "mimecast",
      "messagelabs",
      "symantec",
      "trendmicro",
      "trend micro",
      "sophos",
      "forcepoint",
      "cloudmark",
      "ironport",
      "fireeye",
      "zscaler",
      "urldefense",
      "safelinks"
    ]),
    ...agents(
      crawlers,
      [
        "curl",
        "wget",
        "python",
        "go-http-client",
        "java/",
        "apache-httpclient",
        "libwww-perl",
        "lwp",
        "ruby",
        "php",
        "guzzle",
        "scrapy",
        "httpie",
        "node",
        "undici",
        "axios",
        "bun/",
        "deno/",
        "got (",

        "aiohttp",
        "reqwest",
        "postmanruntime",
        "insomnia",
        "headless",
        "winhttp",
        "faraday",
        "rest-client"
      ],
      true
    )
  ],
  networks: [
    // A person's click passes through Safe Links to the browser, which requests it from the person's own address. When a
    // person reads an email, Outlook's proxies load images from Microsoft's networks.
    ...networks("Scanner", ["Click"], "https://github.com/mautic/mautic/issues/9400#issuecomment-945860432", [
      "40.94.0.0/16"
    ]),
    ...networks(
      "Scanner",
      ["Open", "Click"],
      "https://learn.microsoft.com/microsoft-365/enterprise/urls-and-ip-address-ranges (id 10, Exchange Online Protection)",
      ["40.92.0.0/15", "40.107.0.0/16", "52.100.0.0/14", "104.47.0.0/17"]
    ),
    ...networks(
      "Scanner",
      ["Open", "Click"],
      "https://campus.barracuda.com/product/emailgatewaydefense/doc/96023004/ip-analysis-inbound/",
      ["209.222.80.0/21"]
    ),
    ...networks(
      "Scanner",
      ["Open", "Click"],
      "https://whois.arin.net/rest/net/NET-64-235-144-0-1 (Barracuda)",
      ["64.235.144.0/20"]
    ),
    ...networks("Scanner", ["Open", "Click"], "https://proofpoint.my.site.com/support/PPSup_SupportInfo", [
      "67.231.144.0/20"
    ]),
    ...networks(
      "Scanner",
      ["Open", "Click"],
      "https://pastebin.com/WpYSxjgb (Proofpoint Essentials, resold)",
      ["148.163.128.0/19"]
    ),
    ...networks(
      "Scanner",
      ["Open", "Click"],
      "_netblocks.mimecast.com, the SPF record that Mimecast publishes",
      [
        "91.220.42.0/24",
        "146.101.78.0/24",
        "170.10.128.0/23",
        "170.10.133.0/24",
        "195.130.217.0/24",
        "205.139.110.0/24",
        "207.211.30.64/26",
        "207.211.30.128/25",
        "207.211.31.0/25"
      ]
    ),
    ...networks(
      "Scanner",
      ["Open", "Click"],
      "https://whois.arin.net/rest/net/NET-150-70-0-0-1 (Trend Micro)",
      ["150.70.0.0/16"]
    ),
    ...networks(
      "AppleProxy",
      ["Open"],
      "https://iplists.firehol.org/?ipset=iblocklist_org_apple (Apple's own network)",
      ["17.0.0.0/8"]
    ),
    ...networks("Hosting", ["Click"], "https://www.microsoft.com/download/details.aspx?id=56519 (Azure)", [
      "4.144.0.0/12",
      "13.64.0.0/11",
      "20.0.0.0/9",
      "20.160.0.0/11",
      "20.192.0.0/10",
      "40.64.0.0/10",
      "51.104.0.0/15",
      "51.120.0.0/16",

      "52.136.0.0/13",
      "52.146.0.0/15",
      "52.148.0.0/14",
      "52.152.0.0/13",
      "52.160.0.0/11",
      "52.224.0.0/11",
      "104.40.0.0/13",
      "104.208.0.0/13",
      "137.116.0.0/15",
      "168.61.0.0/16",
      "191.232.0.0/13"
    ]),
    ...networks("Hosting", ["Click"], "https://ip-ranges.amazonaws.com/ip-ranges.json (Amazon EC2)", [
      "3.8.0.0/13",
      "3.16.0.0/12",
      "3.64.0.0/11",
      "3.104.0.0/13",
      "3.120.0.0/13",
      "3.128.0.0/12",
      "3.144.0.0/13",
      "3.160.0.0/13",
      "3.208.0.0/12",
      "3.224.0.0/12",
      "3.248.0.0/13",
      "18.160.0.0/13",
      "18.176.0.0/13",
      "18.192.0.0/11",
      "18.224.0.0/12",
      "34.192.0.0/10",
      "35.152.0.0/13",
      "44.192.0.0/10",
      "52.0.0.0/10",
      "52.64.0.0/12",
      "52.192.0.0/12",
      "54.64.0.0/11",
      "54.144.0.0/12",
      "54.160.0.0/11",
      "54.192.0.0/12",
      "54.208.0.0/13",
      "54.216.0.0/14",
      "54.220.0.0/15",
      "54.224.0.0/11"
    ]),
    ...networks("Hosting", ["Click"], "https://www.gstatic.com/ipranges/cloud.json (Google Cloud)", [
      "34.64.0.0/10",
      "34.128.0.0/10",
      "35.184.0.0/13",
      "35.192.0.0/11",
      "35.224.0.0/12",
      "35.240.0.0/13",
      "104.154.0.0/15",
      "104.196.0.0/14",
      "130.211.0.0/16",
      "146.148.0.0/17"
    ]),
    ...networks("Hosting", ["Click"], "https://www.digitalocean.com/geo/google.csv (DigitalOcean)", [
      "68.183.0.0/16",
      "104.131.0.0/16",
      "138.68.0.0/16",
      "138.197.0.0/16",
      "142.93.0.0/16",
      "157.230.0.0/16",

      "159.65.0.0/16",
      "159.89.0.0/16",
      "164.90.128.0/17",
      "165.227.0.0/16",
      "167.99.0.0/16",
      "206.189.0.0/16"
    ]),
    ...networks(
      "Hosting",
      ["Click"],
      "https://github.com/rezmoss/cloud-provider-ip-addresses/tree/main/hetzner (AS24940)",
      ["65.108.0.0/15", "88.99.0.0/16", "95.216.0.0/15", "116.202.0.0/15", "135.181.0.0/16", "159.69.0.0/16"]
    ),
    ...networks("Hosting", ["Click"], "https://geoip.linode.com/ (Linode)", [
      "45.33.0.0/17",
      "45.79.0.0/16",
      "139.162.0.0/16",
      "172.104.0.0/15"
    ])
  ]
}
