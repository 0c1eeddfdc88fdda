// SPDX-License-Identifier: GPL-3.0-or-later
// Broken files in JSON: indices of weights, configurations, sessions.
#include <functional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tests/support/broken_files.h"

namespace fovea::test {
namespace {

using nlohmann::json;
using Change = std::function<void(json&)>;

void vary(std::vector<BrokenFile>& files, const json& good, const std::string& defect, const Change& change,
          const std::string& sentence) {
    json content = good;
    change(content);
    files.push_back({defect, content.dump(1), sentence});
}

json goodSide() {
    return {
        {"source",
         {{"relative", "attention.npy"}, {"absolute", "/nonexistent/attention.npy"}, {"sha256", nullptr}}},
        {"input",
         {{"text", ""},
          {"pair", nullptr},
          {"target", nullptr},
          {"generation",
           {{"new_tokens", 0},
            {"sample", false},
            {"temperature", 1.0},
            {"top_k", 0},
            {"top_p", 1.0},
            {"seed", 0}}},
          {"picture", nullptr}}},
        {"options", {{"first_layers", nullptr}, {"body_alone", false}, {"read_as_they_run", false}}}};
}

json goodPanel() {
    return {{"side", 0},
            {"mechanism",
             {{"domain", "discrete"},
              {"weights", {{"alpha", 1.0}, {"temperature", 1.0}}},
              {"density", {{"alpha", 2.0}, {"temperature", 1.0}}},
              {"matching", "moments"},
              {"floor", "cell"},
              {"mixture",
               {{"choice", "fixed"}, {"components", 2}, {"iterations", 200}, {"covariance_floor", 1e-6}}},
              {"inside_model", false}}},
            {"selection",
             {{"site", 0}, {"head", 0}, {"query", 0}, {"more_queries", json::array()}, {"pooling", "mean"}}},
            {"unmatched", json::array()},
            {"without_query", false},
            {"view", "matrix"},
            {"scale", "linear"},
            {"look", {{"heat", "smooth"}, {"patch_grid", false}, {"frame", "original"}}}};
}

json session() {
    return {{"format", "fovea-session"}, {"version", 2}, {"sides", {goodSide()}},
            {"panels", {goodPanel(), goodPanel()}}, {"active_panel", 0}, {"linked", true}};
}

json picture(const json& width) {
    return {{"file", {{"relative", "a.png"}, {"absolute", "/a.png"}}},
            {"size", {{"kind", "given"}, {"width", width}, {"height", 4}}}};
}

void addPanelDefects(std::vector<BrokenFile>& files) {
    const auto panel = [&](const std::string& defect, const Change& change, const std::string& sentence) {
        vary(files, session(), defect, [&](json& whole) { change(whole["panels"][1]); }, sentence);
    };
    panel("side_that_is_not_there", [](json& p) { p["side"] = 1; },
          "panels[1].side: expected a whole number from 0, below 1, found 1");
    panel("alpha_below_1", [](json& p) { p["mechanism"]["weights"]["alpha"] = 0.5; },
          "panels[1].mechanism.weights.alpha: expected a number of at least 1, found 0.5");
    panel(
        "alpha_as_text", [](json& p) { p["mechanism"]["weights"]["alpha"] = "two"; },
        "weights.alpha: expected a number of at least 1, found \"two\"");
    panel("temperature_negative", [](json& p) { p["mechanism"]["density"]["temperature"] = -1; },
          "density.temperature: expected a number of at least 0, found -1");
    panel("domain_unknown", [](json& p) { p["mechanism"]["domain"] = "dream"; },
          "panels[1].mechanism.domain: expected discrete, continuous, mixture, found \"dream\"");
    panel("components_without_end", [](json& p) { p["mechanism"]["mixture"]["components"] = 1000000; },
          "mixture.components: expected a whole number from 0, below 1024, found 1000000");
    panel(
        "head_fractional", [](json& p) { p["selection"]["head"] = 1.5; },
        "selection.head: expected a whole number from 0");
    panel(
        "site_beyond_any_model", [](json& p) { p["selection"]["site"] = 1e30; },
        "selection.site: expected a whole number from 0");
    panel("queries_out_of_order", [](json& p) { p["selection"]["more_queries"] = {7, 6}; },
          "selection.more_queries: expected ascending whole numbers");
    panel(
        "query_negative", [](json& p) { p["selection"]["query"] = -1; },
        "selection.query: expected a whole number from 0, below 2147483648, found -1");
    panel(
        "view_missing", [](json& p) { p.erase("view"); },
        "panels[1].view: expected text, matrix, image, density, found nothing");
    panel(
        "patch_grid_as_text", [](json& p) { p["look"]["patch_grid"] = "yes"; },
        "look.patch_grid: expected true or false");
    panel(
        "unmatched_as_text", [](json& p) { p["unmatched"] = "bank"; },
        "panels[1].unmatched: expected a list of texts");
}

void addSideDefects(std::vector<BrokenFile>& files) {
    const auto side = [&](const std::string& defect, const Change& change, const std::string& sentence) {
        vary(files, session(), defect, [&](json& whole) { change(whole["sides"][0]); }, sentence);
    };
    side(
        "source_missing", [](json& s) { s.erase("source"); },
        "sides[0].source: expected an object, found nothing");
    side(
        "source_as_number", [](json& s) { s["source"]["relative"] = 7; },
        "sides[0].source.relative: expected a text, found 7");
    side(
        "text_missing", [](json& s) { s["input"]["text"] = nullptr; },
        "sides[0].input.text: expected a text, found null");
    side("new_tokens_negative", [](json& s) { s["input"]["generation"]["new_tokens"] = -1; },
         "generation.new_tokens: expected a whole number from 0, below 2147483648, found -1");
    side("temperature_of_writing_zero", [](json& s) { s["input"]["generation"]["temperature"] = 0; },
         "sides[0].input.generation: temperature: expected a finite number above 0");
    side(
        "top_p_above_1", [](json& s) { s["input"]["generation"]["top_p"] = 1.5; },
        "top_p: expected a number above 0, at most 1");
    side(
        "seed_negative", [](json& s) { s["input"]["generation"]["seed"] = -1; },
        "generation.seed: expected a whole number from 0, found -1");
    side(
        "first_layers_zero", [](json& s) { s["options"]["first_layers"] = 0; },
        "first_layers: expected at least 1, found 0");
    side(
        "picture_width_negative", [](json& s) { s["input"]["picture"] = picture(-3); },
        "picture.size.width: expected a whole number from 0");
    side("picture_size_of_no_kind", [](json& s) {
        s["input"]["picture"] = picture(4);
        s["input"]["picture"]["size"]["kind"] = "huge";
    }, "picture.size.kind: expected configured, native, given, found \"huge\"");
}

}  // namespace

std::string goodSession() { return session().dump(1); }

std::vector<BrokenFile> brokenSessions() {
    std::vector<BrokenFile> files{
        {"nothing", "", "expected JSON, found nothing: 0 bytes"},
        {"cut_short", goodSession().substr(0, goodSession().size() / 2), "not valid JSON at line"},
        {"nested_a_million_deep", std::string(1'000'000, '['), "nested deeper than 128 levels"},
        {"other_json", R"({"layers": 3})",
         "expected a session (\"format\": \"fovea-session\"), found other JSON"}};
    vary(
        files, session(), "version_of_the_future", [](json& j) { j["version"] = 3; },
        "version 3 of a session, written by a newer Fovea");
    vary(
        files, session(), "version_0", [](json& j) { j["version"] = 0; },
        "version 0 of a session; expected version 1 to 2");
    vary(
        files, session(), "version_as_text", [](json& j) { j["version"] = "2"; },
        "version: expected a whole number, found \"2\"");
    vary(
        files, session(), "no_sides", [](json& j) { j["sides"] = json::array(); },
        "sides: expected a list of 1 to 2, found \"a list of 0\"");
    vary(
        files, session(), "three_sides", [](json& j) { j["sides"] = {goodSide(), goodSide(), goodSide()}; },
        "sides: expected a list of 1 to 2, found \"a list of 3\"");
    vary(
        files, session(), "side_as_text", [](json& j) { j["sides"][0] = "a model"; },
        "sides[0]: expected an object, found \"a model\"");
    vary(
        files, session(), "a_thousand_panels",
        [](json& j) { j["panels"] = json(std::vector<json>(1000, goodPanel())); },
        "found \"a list of 1000\"");
    vary(
        files, session(), "panels_as_number", [](json& j) { j["panels"] = 3; },
        "panels: expected a list of 1 to 4, found 3");
    vary(
        files, session(), "active_panel_that_is_not_there", [](json& j) { j["active_panel"] = 2; },
        "active_panel: expected a whole number from 0, below 2, found 2");
    vary(
        files, session(), "linked_as_number", [](json& j) { j["linked"] = 1; },
        "linked: expected true or false, found 1");
    addSideDefects(files);
    addPanelDefects(files);
    return files;
}

std::vector<BrokenFile> brokenIndices(const std::string& tensor, const std::string& file) {
    const auto index = [](const json& map) { return json{{"weight_map", map}}.dump(); };
    return {
        {"nothing", "", "expected JSON, found nothing: 0 bytes"},
        {"cut_short", R"({"weight_map": )", "not valid JSON at line 1"},
        {"a_list", "[1]", "expected an object with weight_map"},
        {"no_map", R"({"metadata": {}})",
         "expected weight_map to be an object of tensors and their files, found none"},
        {"map_as_list", R"({"weight_map": [1, 2]})", "and their files, found a list"},
        {"map_of_nothing", R"({"weight_map": {}})", "and their files, found an empty one"},
        {"file_as_number", index({{tensor, 1}}), "beside it for tensor " + tensor + ", found 1"},
        {"file_of_another_folder", index({{tensor, "../" + file}}), "found \"../" + file},
        {"file_by_its_whole_path", index({{tensor, "/etc/passwd"}}), "found \"/etc/passwd\""},
        {"file_is_the_folder_above", index({{tensor, ".."}}), "found \"..\""},
        {"file_with_a_zero_byte", index({{tensor, std::string("a\0b", 3)}}), "a\\u0000b"},
        {"file_that_is_not_there", index({{tensor, "model-00007-of-00002.safetensors"}}),
         "lists the file model-00007-of-00002.safetensors, which is not in the folder"},
        {"tensor_that_its_file_lacks", index({{"ornament", file}}),
         "lists tensor ornament in " + file + ", which does not hold it"},
    };
}

std::vector<BrokenFile> brokenGenerationConfigs() {
    return {
        {"nothing", "", "expected JSON, found nothing: 0 bytes"},
        {"cut_short", R"({"eos_token_id": )", "not valid JSON at line 1"},
        {"a_list", "[]", "expected a JSON object, found a list of 0 entries"},
        {"end_as_text", R"({"eos_token_id": "</s>"})",
         "eos_token_id: expected a whole number or a list of them, found \"</s>\""},
        {"end_fractional", R"({"eos_token_id": [2, 2.5]})",
         "eos_token_id: expected a whole number or a list of them, found 2.5"},
        {"end_beyond_64_bits", R"({"eos_token_id": 18446744073709551615})", "found 18446744073709551615"},
        {"forced_beyond_the_vocabulary", R"({"forced_eos_token_id": 99999999})",
         "forced_eos_token_id: expected an id of the vocabulary, 0 to"},
        {"forced_negative", R"({"forced_bos_token_id": -1})",
         "forced_bos_token_id: expected an id of the vocabulary"},
        {"bad_words_flat", R"({"bad_words_ids": [5]})",
         "bad_words_ids: expected a list of lists of whole numbers, found 5"},
        {"bad_words_as_object", R"({"bad_words_ids": {}})",
         "bad_words_ids: expected a list, found an object"},
        {"suppressed_as_texts", R"({"suppress_tokens": ["a"]})",
         "suppress_tokens: expected a whole number or a list of them"},
    };
}

std::vector<BrokenFile> brokenPreprocessing() {
    return {
        {"nothing", "", "expected JSON, found nothing: 0 bytes"},
        {"cut_short", R"({"size": )", "not valid JSON at line 1"},
        {"a_list", "[]", "expected a JSON object, found a list"},
        {"size_as_text", R"({"size": "big"})",
         "size: expected height and width, or shortest_edge, found \"big\""},
        {"size_zero", R"({"size": 0})", "size: expected whole pixels from 1 to 1048576, found 0"},
        {"size_negative", R"({"size": -3})", "size: expected whole pixels from 1 to 1048576, found -3"},
        {"size_of_a_thousand_million", R"({"size": 1000000000})",
         "size: expected whole pixels from 1 to 1048576, found 1000000000"},
        {"size_of_three", R"({"size": [1, 2, 3]})", "found [1,2,3]"},
        {"width_missing", R"({"size": {"height": 3}})",
         "size: expected height and width, or shortest_edge, found {\"height\":3}"},
        {"width_as_text", R"({"size": {"height": 3, "width": "x"}})", "size.width: expected whole pixels"},
        {"edge_fractional", R"({"size": {"shortest_edge": 2.5}})",
         "size.shortest_edge: expected whole pixels from 1 to 1048576, found 2.5"},
        {"divisor_zero", R"({"size_divisor": 0, "size": {"shortest_edge": 3}})",
         "size_divisor: expected whole pixels"},
        {"crop_without_height", R"({"crop_size": {"width": 3}})", "crop_size: expected height and width"},
        {"switch_as_number", R"({"do_resize": 1})", "do_resize: expected true or false, found 1"},
        {"filter_6", R"({"resample": 6})", "resample: expected a filter's number from 0 to 5, found 6"},
        {"filter_unknown", R"({"resample": "sharp"})",
         "resample: expected a filter's number from 0 to 5, found \"sharp\""},
        {"factor_as_text", R"({"rescale_factor": "1/255"})", "rescale_factor: expected a number"},
        {"mean_of_two", R"({"image_mean": [1, 2]})",
         "image_mean: expected three numbers, or one for all channels"},
        {"deviation_zero", R"({"image_std": [1, 0, 1]})", "image_std: expected numbers other than 0"},
        {"deviation_as_texts", R"({"image_std": ["a", "b", "c"]})", "image_std: expected three numbers"},
        {"kind_as_number", R"({"image_processor_type": 3})",
         "image_processor_type: expected a text, found 3"},
    };
}

}  // namespace fovea::test
