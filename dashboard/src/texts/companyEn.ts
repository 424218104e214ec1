/**
 * The texts of a company's settings, its identity providers, and of the account's use and archive in English.
 *
 * @module
 */

const plural = (count: number, one: string, many: string): string => (count === 1 ? one : many)

/** The texts. */
export const companyEn = {
  company: {
    general: "Company",
    name: "Name",
    factors: "Require a second factor for members",
    factorsHint: "Members without one set it up at their next sign-in.",
    auditDays: "Audit log retention (days)",
    auditDaysHint: "90 to 3,650.",
    brand: "Brand",
    brandText: "Shown in emails and on hosted pages. Empty fields are left out.",
    brandName: "Display name",
    logo: "Logo",
    noLogo: "None yet. PNG, JPEG, GIF or WebP.",
    chooseLogo: "Upload a logo",
    uploading: "Uploading",
    removeLogo: "Remove",
    accent: "Accent colour",
    background: "Background colour",
    textColour: "Text colour",
    colourHint: "Such as #5048D0.",
    choose: "Choose",
    address: "Postal address",
    footer: "Footer",
    saved: "Company saved",
    brandSaved: "Brand saved",
    remove: "Delete this company",
    removeText:
      "API keys, SMTP logins and sending stop at once. The company can be restored for 30 days; then everything in it is erased.",
    removeTitle: (name: string) => `Delete ${name}?`,
    removeSentence: (live: string, liveCount: number, sandbox: string, keys: string, keyCount: number) =>
      `Stops ${keys} ${plural(keyCount, "key", "keys")}, SMTP and all sending at once. In 30 days it erases ${live} ${plural(liveCount, "person", "people")} of the live account and ${sandbox} of the sandbox, with their emails, orders and flows. Until then it can be restored.`,
    removed: (name: string) => `${name} was deleted`,
    deleted: (until: string) =>
      `This company was deleted. It can be restored until ${until}; then it is erased.`,
    restore: "Restore",
    restored: "The company was restored"
  },
  providers: {
    tab: "Sign-in",
    text: "Members with addresses in these domains sign in with your identity provider (OpenID Connect).",
    none: "No identity provider yet.",
    add: "Add a provider",
    addText: "Register this service at the provider first. Its redirect address is shown after you add it.",
    name: "Name",
    nameHint: "Shown on its button, such as Acme Login.",
    issuer: "Issuer",
    issuerHint: "The https address of its discovery document, without /.well-known.",
    clientId: "Client ID",
    clientSecret: "Client secret",
    domains: "Email domains",
    domainsHint: "Separate several with commas, such as acme.example.",
    role: "Role of new people",
    noRole: "None: they must be invited",
    required: "Require this provider",
    requiredHint: "Passwords and passkeys stop for these domains, except those of Owners.",
    isRequired: "Required",
    redirect: "Redirect address",
    redirectTitle: (name: string) => `${name} was added`,
    redirectText: "Register this redirect address at the provider, then try the sign-in.",
    remove: "Remove",
    removeTitle: (name: string) => `Remove ${name}?`,
    removeText: (shown: string, count: number) =>
      `The ${plural(count, "member", `${shown} members`)} can no longer sign in with it. Those who did need another method, such as a password. Open sessions continue until they end.`,
    removed: (name: string) => `${name} was removed`
  },
  usage: {
    title: "Usage",
    contacts: "People",
    emails: "Emails today",
    of: (used: string, limit: string) => `${used} of ${limit}`,
    unlimited: (used: string) => `${used}, no limit`
  },
  erasure: {
    before: (date: string) => `Now applies to data older than ${date}.`,
    never: "Nothing is kept."
  },
  archive: {
    title: "Account archive",
    text: "Settings, topics, fields, segments, templates, flows, people with their consent, suppressions and the catalogue. No secrets, no emails.",
    export: "Export",
    exportDone: "Archive downloaded",
    import: "Import",
    importTitle: "Import an archive",
    importText: "Existing data is kept. Lines that were imported before change nothing.",
    file: "Archive",
    noFile: "Choose the file of an export.",
    imported: (added: string, changed: string, unchanged: string) =>
      `${added} added, ${changed} changed, ${unchanged} unchanged.`,
    refused: (shown: string, count: number) =>
      `${shown} ${plural(count, "line was", "lines were")} rejected:`,
    line: (shown: string) => `Line ${shown}`
  }
}
