/** Content types of the answers that are no plain JSON. */

/** Content type of server-sent events. */
export const EVENT_STREAM_CONTENT_TYPE = "text/event-stream";
/** Content type of a receipt. */
export const RECEIPT_CONTENT_TYPE = "application/vnd.cairn.receipt+json";
/** Content type of a detached OpenTimestamps file. */
export const OTS_CONTENT_TYPE = "application/vnd.opentimestamps.ots";
/** Content type of a calendar answer. */
export const TIMESTAMP_CONTENT_TYPE = "application/vnd.opentimestamps.v1";
