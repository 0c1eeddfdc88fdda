// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/side_links.h"

#include <gtest/gtest.h>

#include <sstream>

namespace fovea::session {
namespace {

std::vector<TokenLabel> words(const std::string& text) {
    std::vector<TokenLabel> tokens;
    std::istringstream stream(text);
    std::string word;
    while (stream >> word) {
        TokenLabel token;
        token.text = token.piece = word;
        token.spaceBefore = !tokens.empty();
        tokens.push_back(token);
    }
    return tokens;
}

AttentionRecord record(SiteKind kind, std::size_t layer, std::size_t heads, std::size_t queries,
                       std::size_t keys) {
    return {Site{"site", kind, LayerIndex(layer), heads, heads},
            scoresFromMatrix(heads, queries, keys, std::vector<float>(heads * queries * keys)),
            {}};
}

std::shared_ptr<const Trace> encoder(const std::string& text, std::size_t layers, std::size_t heads) {
    auto trace = std::make_shared<Trace>();
    trace->tokens = words(text);
    const std::size_t length = trace->tokens.size();
    for (std::size_t layer = 0; layer < layers; ++layer)
        trace->records.push_back(record(SiteKind::Encoder, layer, heads, length, length));
    return trace;
}

// Two layers each of an encoder, a decoder and the attention between them.
std::shared_ptr<const Trace> translator(const std::string& text, const std::string& target) {
    auto trace = std::make_shared<Trace>();
    trace->tokens = words(text);
    trace->targetTokens = words(target);
    const std::size_t source = trace->tokens.size();
    const std::size_t answer = trace->targetTokens.size();
    for (std::size_t layer = 0; layer < 2; ++layer)
        trace->records.push_back(record(SiteKind::Encoder, layer, 4, source, source));
    for (std::size_t layer = 0; layer < 2; ++layer)
        trace->records.push_back(record(SiteKind::Decoder, layer, 4, answer, answer));
    for (std::size_t layer = 0; layer < 2; ++layer)
        trace->records.push_back(record(SiteKind::Cross, layer, 4, answer, source));
    return trace;
}

Selection at(std::size_t site, std::size_t head, std::size_t query, std::vector<QueryIndex> more = {}) {
    return {SiteIndex(site), HeadIndex(head), QueryIndex(query), std::move(more), {}};
}

TEST(LinkedHead, is_the_same_one_where_both_have_it) {
    const auto a = encoder("a", 4, 8);
    const auto b = encoder("a", 4, 8);
    for (std::size_t site = 0; site < 4; ++site) {
        EXPECT_EQ(linkedHead(a->records, SiteIndex(site), HeadIndex(7), b->records),
                  (LinkedHead{SiteIndex(site), HeadIndex(7), false}));
    }
}

TEST(LinkedHead, is_held_at_the_last_layer_and_head_and_says_so) {
    const auto large = encoder("a", 12, 8);
    const auto small = encoder("a", 2, 4);
    EXPECT_EQ(linkedHead(large->records, SiteIndex(9), HeadIndex(2), small->records),
              (LinkedHead{SiteIndex(1), HeadIndex(2), true}));
    EXPECT_EQ(linkedHead(large->records, SiteIndex(1), HeadIndex(6), small->records),
              (LinkedHead{SiteIndex(1), HeadIndex(3), true}));
    EXPECT_EQ(linkedHead(small->records, SiteIndex(1), HeadIndex(3), large->records),
              (LinkedHead{SiteIndex(1), HeadIndex(3), false}));
}

TEST(LinkedHead, is_in_the_same_stack_or_in_the_only_one_or_nowhere) {
    const auto two = translator("a b", "c");
    const auto one = encoder("a b", 2, 4);
    EXPECT_EQ(linkedHead(two->records, SiteIndex(5), HeadIndex(1), two->records)->site, SiteIndex(5));
    EXPECT_EQ(linkedHead(two->records, SiteIndex(3), HeadIndex(1), one->records)->site, SiteIndex(1));
    auto decoder = std::make_shared<Trace>();
    decoder->records = {two->records[2], two->records[3]};
    EXPECT_EQ(linkedHead(decoder->records, SiteIndex(1), HeadIndex(0), two->records)->site, SiteIndex(3));
    auto crossless = std::make_shared<Trace>();
    crossless->records = {two->records[0], two->records[2]};
    EXPECT_EQ(linkedHead(two->records, SiteIndex(4), HeadIndex(0), crossless->records), std::nullopt);
}

TEST(SideLinks, a_panel_follows_by_token_not_by_place) {
    const auto first = encoder("the dog runs", 2, 4);
    const auto second = encoder("look the big dog runs", 2, 4);
    const SideLinks links(first, second);
    const PanelState followed = links.followed({}, 0, at(1, 2, 1));
    EXPECT_EQ(followed.selection, at(1, 2, 3));
    EXPECT_FALSE(followed.withoutQuery);
    EXPECT_EQ(links.followed({}, 1, followed.selection).selection, at(1, 2, 1));
}

TEST(SideLinks, a_query_without_counterpart_leaves_the_panel_without_one_and_names_it) {
    const SideLinks links(encoder("the dog runs", 2, 4), encoder("the cat runs", 2, 4));
    PanelState panel;
    panel.selection = at(0, 0, 2);
    const PanelState followed = links.followed(panel, 0, at(0, 0, 1));
    EXPECT_TRUE(followed.withoutQuery);
    EXPECT_EQ(followed.unmatched, std::vector<std::string>{"dog"});
    EXPECT_EQ(followed.selection.query, QueryIndex(2));
    EXPECT_FALSE(links.followed(followed, 0, at(0, 0, 0)).withoutQuery);
    EXPECT_TRUE(links.followed(followed, 0, at(0, 0, 0)).unmatched.empty());
}

TEST(SideLinks, of_several_queries_those_with_a_counterpart_are_followed) {
    const SideLinks links(encoder("the dog runs home", 1, 1), encoder("well the cat runs home", 1, 1));
    const PanelState followed = links.followed({}, 0, at(0, 0, 1, {QueryIndex(0), QueryIndex(3)}));
    EXPECT_FALSE(followed.withoutQuery);
    EXPECT_EQ(followed.selection.query, QueryIndex(1));
    EXPECT_EQ(followed.selection.more, std::vector<QueryIndex>{QueryIndex(4)});
    EXPECT_EQ(followed.unmatched, std::vector<std::string>{"dog"});
}

TEST(SideLinks, queries_of_a_decoder_follow_its_own_tokens_and_keys_those_that_are_read) {
    const SideLinks links(translator("a b", "x y"), translator("b", "w x y"));
    EXPECT_EQ(links.queryAcross(0, SiteIndex(4), SiteIndex(4), 1), 2U);
    EXPECT_EQ(links.keyAcross(0, SiteIndex(4), SiteIndex(4), 1), 0U);
    EXPECT_EQ(links.keyAcross(0, SiteIndex(4), SiteIndex(4), 0), std::nullopt);
    EXPECT_EQ(links.keyAcross(0, SiteIndex(2), SiteIndex(2), 1), 2U);
    EXPECT_EQ(links.onlyHereOfTarget(1), (std::vector<bool>{true, false, false}));
}

TEST(SideLinks, tokens_of_one_text_alone_are_marked_and_special_ones_are_not) {
    auto first = std::make_shared<Trace>(*encoder("the dog runs", 1, 1));
    first->tokens.front().special = true;
    const SideLinks links(first, encoder("a cat runs", 1, 1));
    EXPECT_EQ(links.onlyHere(0), (std::vector<bool>{false, true, false}));
    EXPECT_EQ(links.onlyHere(1), (std::vector<bool>{true, true, false}));
}

TEST(FollowLeader, panels_of_one_side_share_everything_and_those_of_the_other_their_counterparts) {
    const std::vector<std::shared_ptr<const Trace>> traces{encoder("the dog runs", 3, 4),
                                                           encoder("see the dog", 2, 2)};
    const SideLinks links(traces[0], traces[1]);
    DocumentState document;
    document.sides.resize(2);
    document.panels.resize(3);
    document.panels[1].side = 1;
    document.panels[0].selection = at(2, 3, 1);
    followLeader(document, 0, traces, &links);
    EXPECT_EQ(document.panels[2].selection, at(2, 3, 1));
    EXPECT_EQ(document.panels[1].selection, at(1, 1, 2));
    followLeader(document, 1, traces, nullptr);
    EXPECT_EQ(document.panels[0].selection, at(2, 3, 1));
}

TEST(FittedSelection, holds_every_index_at_the_last_one) {
    const auto trace = encoder("the dog runs", 2, 4);
    EXPECT_EQ(fittedSelection(at(9, 9, 9, {QueryIndex(1), QueryIndex(8)}), *trace),
              at(1, 3, 2, {QueryIndex(1)}));
    EXPECT_EQ(fittedSelection(at(1, 3, 2), *trace), at(1, 3, 2));
}

}  // namespace
}  // namespace fovea::session
