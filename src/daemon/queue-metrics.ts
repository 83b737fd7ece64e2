import type { MailQueue } from '../features/mail/mail-queue.ts';
import type { Rooms } from './rooms.ts';

/** Adds gauges for work that waits in queues and for work that was given up. */
export function addQueueMetrics(rooms: Rooms, mailQueue: MailQueue): void {
  const { metrics, db, search, learning, activity, events, jobs, embeddings, tenantEmbeddings, tenantModels } = rooms;
  metrics.gauge('svc_writes_waiting', 'Queued writes', () => db.writes.waiting());
  metrics.gauge('svc_reads_waiting', 'Queued reads', () => db.readers.waiting() + db.lookups.waiting());
  metrics.gauge('svc_searches_waiting', 'Searches that wait for others of their account', search.waiting);
  metrics.gauge('svc_searches_dropped', 'Searches that were not stored for feedback', learning.dropped);
  metrics.gauge('svc_activity_dropped', 'Requests whose activity was not stored', activity.dropped);
  metrics.gauge('svc_event_streams', 'Open event streams', events.openStreams);
  metrics.gauge('svc_mails_pending', 'Queued mails', () => mailQueue.pending());
  metrics.gauge('svc_jobs_open', 'Queued and running jobs', jobs.open);
  metrics.gauge('svc_embeddings_waiting', 'Texts waiting to be embedded', embeddings.waiting);
  metrics.gauge('svc_embedding_failures_total', 'Failed embedder calls', embeddings.failures);
  metrics.gauge(
    'svc_tenant_embeddings_waiting',
    "Texts waiting to be embedded with tenants' models",
    tenantEmbeddings.waiting,
  );
  metrics.gauge(
    'svc_tenant_embedding_failures_total',
    "Failed calls of tenants' embedding models",
    tenantModels.failures,
  );
}
