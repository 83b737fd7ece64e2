import type { TSchema } from 'typebox';
import { Account, TokenAnswer, Usage } from './account.ts';
import { CallbackForm, MagicLinkAnswer, MagicLinkRequest, TokenRequest } from './auth.ts';
import { ListOrder } from './common.ts';
import {
  AppendedMessage,
  Conversation,
  ConversationChange,
  ConversationPage,
  Message,
  MessageChange,
  MessagePage,
  Messages,
  NewConversation,
  NewMessage,
  NewMessages,
  Role,
} from './conversations.ts';
import { Episode, EpisodeChange, EpisodePage, Episodes, NewEpisode, WrittenEpisode } from './episodes.ts';
import { Decision, ExtractionResult, Job, JobAccepted, JobPage, JobStateName, NewExtraction } from './jobs.ts';
import { Feedback, FeedbackResult, LearnedShift, LearningDay, Retrieval, WeightShift } from './learning.ts';
import { QuotaState, StorageState, Tier } from './limits.ts';
import {
  AddedMemories,
  AddedMemory,
  ChangedMemory,
  ExternalMemory,
  Memory,
  MemoryChange,
  MemoryHistory,
  MemoryPage,
  MemorySource,
  NewMemories,
  NewMemory,
} from './memories.ts';
import { ImagePart, MessageContent, MessagePart, TextPart, ToolCallPart, ToolResultPart } from './message-content.ts';
import { ImportReport, TransferCounts } from './portability.ts';
import { Problem } from './problem.ts';
import { ModelChoice, ProviderSettings, ProviderSettingsChange, TokenPrices, UsedTokens } from './provider-settings.ts';
import { NewProviderKey, ProviderKey, ProviderKeys, ProviderName } from './providers.ts';
import { Remembered, RememberRequest } from './remember.ts';
import {
  ContextAnswer,
  ContextRequest,
  ItemTypeName,
  SearchAnswer,
  SearchFilter,
  SearchRequest,
  SearchResult,
} from './search.ts';
import { User, UserPage } from './users.ts';

/**
 * Schemas by their names in the OpenAPI document, after which generated clients name their types. Wherever one of them
 * occurs, the document refers to it.
 */
export const COMPONENTS: Readonly<Record<string, TSchema>> = {
  Account,
  AddedMemories,
  AddedMemory,
  AppendedMessage,
  CallbackForm,
  ChangedMemory,
  ContextAnswer,
  ContextRequest,
  Conversation,
  ConversationChange,
  ConversationPage,
  Decision,
  Episode,
  EpisodeChange,
  EpisodePage,
  Episodes,
  ExternalMemory,
  ExtractionResult,
  Feedback,
  FeedbackResult,
  ImagePart,
  ImportReport,
  ItemType: ItemTypeName,
  Job,
  JobAccepted,
  JobPage,
  JobState: JobStateName,
  LearnedShift,
  LearningDay,
  ListOrder,
  MagicLinkAnswer,
  MagicLinkRequest,
  Memory,
  MemoryChange,
  MemoryHistory,
  MemoryPage,
  MemorySource,
  Message,
  MessageChange,
  MessageContent,
  MessagePage,
  MessagePart,
  MessageRole: Role,
  Messages,
  ModelChoice,
  NewConversation,
  NewEpisode,
  NewExtraction,
  NewMemories,
  NewMemory,
  NewMessage,
  NewMessages,
  NewProviderKey,
  Problem,
  Provider: ProviderName,
  ProviderKey,
  ProviderKeys,
  ProviderSettings,
  ProviderSettingsChange,
  QuotaState,
  Remembered,
  RememberRequest,
  Retrieval,
  SearchAnswer,
  SearchFilter,
  SearchRequest,
  SearchResult,
  StorageState,
  TextPart,
  Tier,
  TokenAnswer,
  TokenPrices,
  TokenRequest,
  ToolCallPart,
  ToolResultPart,
  TransferCounts,
  Usage,
  UsedTokens,
  User,
  UserPage,
  WeightShift,
  WrittenEpisode,
};
