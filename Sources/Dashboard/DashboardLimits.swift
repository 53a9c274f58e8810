// Every number of this module, with its unit and its reason.

package enum DashboardLimits {
    // MARK: pages
    /// Entries of the first screenful of a timeline, and blocks of each older page.
    package static let pageBlocks = 60
    /// Blocks of the first screenful, those counted that belong to a tool.
    package static let pageBlocksInAll = 240
    /// Sessions of one desktop on a list; the desktop's own page shows more.
    package static let listedSessions = 150
    /// Sessions on a desktop's own page.
    package static let listedOnDesktopPage = 2_000
    /// A message above one of these is folded.
    package static let foldedCharacters = 3_200
    package static let foldedLines = 48
    /// Characters and lines of the preview of a folded body.
    package static let previewCharacters = 280
    package static let previewLines = 4
    /// Bytes of one body inside a page, when its desktop did not cut it (desktops cut at 32 KiB); more is shown on a page
    /// of its own.
    package static let bodyBytes = 256 << 10
    /// Bytes of a whole body on its own page; the rest is offered as a download.
    package static let bodyPageBytes = 4 << 20
    /// Characters of a title, branch or name in a list.
    package static let titleCharacters = 160

    // MARK: rendering
    /// Rendered blocks kept, and their bytes, in each of the cache's two halves.
    package static let cachedBlocks = 10_000
    package static let cachedBlockBytes = 32 << 20
    /// Bytes of bodies that are rendered on the loop at once; more goes to the worker threads.
    package static let renderedOnLoop = 2 << 10

    // MARK: live
    /// Milliseconds between two patches of a view: at most 30 a second (DESIGN §4).
    package static let patchInterval: Int64 = 33
    /// Milliseconds between two changes of the lists.
    package static let listInterval: Int64 = 500
    /// Bytes queued on a live socket above which its views wait for one fresh snapshot (DESIGN §6).
    package static let queuedBytes = 1 << 20
    /// Milliseconds without progress after which a slow live socket is closed with 1013.
    package static let stalled: Int64 = 30_000
    /// Live sockets, of members and of share viewers.
    package static let liveSockets = 20_000
    /// Live sockets of one share link.
    package static let shareSockets = 15_000
    /// Claims of one live socket.
    package static let claimsPerSocket = 16
    /// Bytes of a message from a browser; prompts are the largest.
    package static let liveMessageBytes = 256 << 10
    /// Messages a second that one live socket may send, over ten seconds.
    package static let liveMessageRate = 20
    /// Milliseconds that a view's history is kept after its last viewer left: a page that was just loaded claims it then.
    package static let feedLinger: Int64 = 60_000
    /// Views with a history.
    package static let feeds = 512
    /// Ids of removed blocks that a view remembers; an older page gets a fresh snapshot.
    package static let removedBlocks = 1_000

    // MARK: access
    /// Credentials whose last use is remembered, so that it is written once a minute only.
    package static let credentials = 4_096
    /// Entries of the cookie, one per server on the same host.
    package static let cookieEntries = 8
    /// Wrong pairing codes, share passwords or tokens from one address in ten minutes.
    package static let wrongGuesses = 30
    /// Addresses whose wrong guesses are counted.
    package static let guessers = 4_096
    /// Milliseconds: the shortest, the usual and the longest life of a share.
    package static let shortestShare: Int64 = 3_600_000
    package static let usualShare: Int64 = 7 * 86_400_000
    package static let longestShare: Int64 = 30 * 86_400_000
    /// Bytes of a form.
    package static let formBytes = 64 << 10

    // MARK: API
    /// Blocks of one answer.
    package static let apiBlocks = 200
    /// Bytes of media that are read from a desktop at a time.
    package static let mediaChunk = 512 << 10
    /// Bytes of one picture or file that is passed on.
    package static let mediaBytes = 64 << 20
}
